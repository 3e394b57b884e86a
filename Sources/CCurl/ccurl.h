// The part of libcurl's C interface that price-fetch uses. It is declared here, because machines that run or build this
// project have libcurl itself but rarely its headers. Since version 7.16, libcurl has made only compatible changes to
// its functions and numeric constants (https://curl.se/libcurl/abi.html).
//
// Swift cannot call C functions with a variable number of arguments, so this header defines an inline function for each
// type of argument. These functions are compiled as C, so they are correct even on Apple's arm64, which passes variable
// arguments differently from other arguments.

#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>

// Options of a transfer.
#define CURLOPT_URL 10002
#define CURLOPT_ERRORBUFFER 10010
#define CURLOPT_USERAGENT 10018
#define CURLOPT_HTTPHEADER 10023
#define CURLOPT_CAINFO 10065
#define CURLOPT_CAPATH 10097
#define CURLOPT_NOPROXY 10177
#define CURLOPT_PROTOCOLS_STR 10318
#define CURLOPT_WRITEDATA 10001
#define CURLOPT_HEADERDATA 10029
#define CURLOPT_SOCKOPTDATA 10149
#define CURLOPT_CLOSESOCKETDATA 10209
#define CURLOPT_PREREQDATA 10313
#define CURLOPT_WRITEFUNCTION 20011
#define CURLOPT_HEADERFUNCTION 20079
#define CURLOPT_SOCKOPTFUNCTION 20148
#define CURLOPT_CLOSESOCKETFUNCTION 20208
#define CURLOPT_PREREQFUNCTION 20312
#define CURLOPT_FRESH_CONNECT 74
#define CURLOPT_NOSIGNAL 99
#define CURLOPT_TIMEOUT_MS 155
#define CURLOPT_HTTPPROXYTUNNEL 61
#define CURLOPT_CONNECT_ONLY 141
#define CURLOPT_CONNECTTIMEOUT_MS 156
#define CURLOPT_PROTOCOLS 181
#define CURLOPT_SUPPRESS_CONNECT_HEADERS 265
#define CURLOPT_SSL_ENABLE_ALPN 226
#define CURLOPT_QUICK_EXIT 322

// Information about a transfer.
#define CURLINFO_RESPONSE_CODE 0x200002
#define CURLINFO_HTTP_VERSION 0x20002E
#define CURLINFO_TLS_SSL_PTR 0x40002D
#define CURLINFO_ACTIVESOCKET 0x50002C

#define CURL_HTTP_VERSION_2_0 3
#define CURLSSLBACKEND_OPENSSL 1
#define CURLPROTO_HTTP 1
#define CURLPROTO_HTTPS 2

// Result codes.
#define CURLE_OK 0
#define CURLE_OUT_OF_MEMORY 27
#define CURLE_OPERATION_TIMEDOUT 28
#define CURLE_ABORTED_BY_CALLBACK 42
#define CURLE_AGAIN 81
#define CURLE_TOO_LARGE 100
#define CURL_PREREQFUNC_OK 0
#define CURL_PREREQFUNC_ABORT 1

// Options and events of a multi handle.
#define CURLMOPT_MAXCONNECTS 6
#define CURLMOPT_SOCKETFUNCTION 20001
#define CURLMOPT_SOCKETDATA 10002
#define CURLMOPT_TIMERFUNCTION 20004
#define CURLMOPT_TIMERDATA 10005
#define CURL_SOCKET_TIMEOUT -1
#define CURL_POLL_IN 1
#define CURL_POLL_OUT 2
#define CURL_POLL_REMOVE 4
#define CURLMSG_DONE 1

// Parts of a URL.
#define CURLUPART_SCHEME 1
#define CURLUPART_HOST 5
#define CURLUPART_URL 0

#define CURL_GLOBAL_ALL 3
#define CURL_ERROR_SIZE 256

typedef struct Curl_easy CURL;
typedef struct Curl_multi CURLM;
typedef struct Curl_URL CURLU;

struct curl_slist;

struct CURLMsg {
    int msg;
    CURL *easy_handle;
    union {
        void *whatever;
        int result;
    } data;
};

struct curl_tlssessioninfo {
    int backend;
    void *internals;
};

int curl_global_init(long flags);
const char *curl_easy_strerror(int code);
CURL *curl_easy_init(void);
int curl_easy_setopt(CURL *easy, int option, ...);
int curl_easy_getinfo(CURL *easy, int info, ...);
int curl_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent);
int curl_easy_recv(CURL *easy, void *buffer, size_t count, size_t *received);
void curl_easy_cleanup(CURL *easy);
CURLM *curl_multi_init(void);
void curl_multi_cleanup(CURLM *multi);
int curl_multi_setopt(CURLM *multi, int option, ...);
int curl_multi_add_handle(CURLM *multi, CURL *easy);
int curl_multi_remove_handle(CURLM *multi, CURL *easy);
int curl_multi_socket_action(CURLM *multi, int socket, int events, int *running);
int curl_multi_socket_all(CURLM *multi, int *running);
struct CURLMsg *curl_multi_info_read(CURLM *multi, int *left);
struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text);
void curl_slist_free_all(struct curl_slist *list);
CURLU *curl_url(void);
void curl_url_cleanup(CURLU *url);
int curl_url_set(CURLU *url, int part, const char *text, unsigned int flags);
int curl_url_get(const CURLU *url, int part, char **text, unsigned int flags);
void curl_free(void *text);
long curl_getdate(const char *text, const long *unused);

// Receives `size * count` bytes and returns how many of them it accepted. If it did not accept all of them, libcurl
// ends the transfer.
typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_opened_callback)(void *context, int socket, int purpose);
typedef int (*ccurl_closing_callback)(void *context, int socket);
typedef int (*ccurl_request_callback)(
    void *context, char *address, char *local_address, int port, int local_port);
typedef int (*ccurl_interest_callback)(CURL *easy, int socket, int events, void *context, void *unused);
typedef int (*ccurl_timer_callback)(CURLM *multi, long milliseconds, void *context);

static inline int ccurl_set_number(CURL *easy, int option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline int ccurl_set_text(CURL *easy, int option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline int ccurl_set_pointer(CURL *easy, int option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline int ccurl_on_data(CURL *easy, int option, ccurl_data_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline int ccurl_on_opened(CURL *easy, ccurl_opened_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, callback);
}

static inline int ccurl_on_closing(CURL *easy, ccurl_closing_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline int ccurl_before_request(CURL *easy, ccurl_request_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

// The open socket of a transfer that only connects (`CURLOPT_CONNECT_ONLY`); -1 if no socket is open.
static inline int ccurl_socket(CURL *easy) {
    int socket = -1;
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : -1;
}

static inline long ccurl_number(CURL *easy, int info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

// The OpenSSL session of the connection that a transfer uses; NULL if the connection does not use TLS, or if libcurl
// uses a TLS library other than OpenSSL and its forks, such as LibreSSL.
static inline void *ccurl_openssl_session(CURL *easy) {
    struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return NULL;
    return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}

static inline int ccurl_multi_set_number(CURLM *multi, int option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline int ccurl_on_interest(CURLM *multi, ccurl_interest_callback callback, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline int ccurl_on_timer(CURLM *multi, ccurl_timer_callback callback, void *context) {
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

#endif
