// The part of ICU's C interface that price-format uses. It is declared here for two reasons: macOS includes the library
// but not its headers; on Linux, the copy of ICU in the Swift toolchain's Foundation adds a prefix to each function
// name. Foundation's own formatters could be used instead, but they need 9 megabytes more memory.
//
// ICU keeps this interface and its numeric constants stable:
// https://unicode-org.github.io/icu/userguide/icu/design.html

#ifndef CICU_H
#define CICU_H

#include <stdint.h>

#ifdef __linux__
#define CICU_NAME(name) __asm__("swift_" #name)
#else
#define CICU_NAME(name)
#endif

// A UTF-16 code unit.
typedef uint16_t UChar;
// A result code; a value above 0 means that an error occurred.
typedef int32_t UErrorCode;

// If this is passed as both the time style and the date style, ICU uses the pattern instead.
#define UDAT_PATTERN -2

typedef struct UDateFormat UDateFormat;
typedef struct UDateTimePatternGenerator UDateTimePatternGenerator;
typedef struct UNumberFormatter UNumberFormatter;
typedef struct UFormattedNumber UFormattedNumber;

void uloc_setDefault(const char *locale, UErrorCode *error) CICU_NAME(uloc_setDefault);
int32_t uloc_countAvailable(void) CICU_NAME(uloc_countAvailable);
const char *uloc_getAvailable(int32_t index) CICU_NAME(uloc_getAvailable);
int32_t uloc_getLanguage(const char *locale, char *text, int32_t size, UErrorCode *error)
    CICU_NAME(uloc_getLanguage);
int32_t uloc_getCountry(const char *locale, char *text, int32_t size, UErrorCode *error)
    CICU_NAME(uloc_getCountry);
const char *const *uloc_getISOCountries(void) CICU_NAME(uloc_getISOCountries);

int8_t ucurr_isAvailable(const UChar *code, double from, double to, UErrorCode *error)
    CICU_NAME(ucurr_isAvailable);

// A skeleton specifies currency, precision and rounding. The number is passed as text, never as binary floating point.
UNumberFormatter *unumf_openForSkeletonAndLocale(
    const UChar *skeleton, int32_t count, const char *locale, UErrorCode *error)
    CICU_NAME(unumf_openForSkeletonAndLocale);
UFormattedNumber *unumf_openResult(UErrorCode *error) CICU_NAME(unumf_openResult);
void unumf_formatDecimal(
    const UNumberFormatter *formatter, const char *number, int32_t count, UFormattedNumber *result,
    UErrorCode *error) CICU_NAME(unumf_formatDecimal);
int32_t unumf_resultToString(const UFormattedNumber *result, UChar *text, int32_t size, UErrorCode *error)
    CICU_NAME(unumf_resultToString);
void unumf_close(UNumberFormatter *formatter) CICU_NAME(unumf_close);
void unumf_closeResult(UFormattedNumber *result) CICU_NAME(unumf_closeResult);

// Times are in milliseconds since 1970-01-01T00:00:00Z.
UDateFormat *udat_open(
    int timeStyle, int dateStyle, const char *locale, const UChar *zone, int32_t zoneCount,
    const UChar *pattern, int32_t patternCount, UErrorCode *error) CICU_NAME(udat_open);
int32_t udat_format(
    const UDateFormat *formatter, double time, UChar *text, int32_t size, void *position, UErrorCode *error)
    CICU_NAME(udat_format);
void udat_close(UDateFormat *formatter) CICU_NAME(udat_close);

UDateTimePatternGenerator *udatpg_open(const char *locale, UErrorCode *error) CICU_NAME(udatpg_open);
int32_t udatpg_getBestPattern(
    UDateTimePatternGenerator *generator, const UChar *skeleton, int32_t count, UChar *text, int32_t size,
    UErrorCode *error) CICU_NAME(udatpg_getBestPattern);
void udatpg_close(UDateTimePatternGenerator *generator) CICU_NAME(udatpg_close);

#endif
