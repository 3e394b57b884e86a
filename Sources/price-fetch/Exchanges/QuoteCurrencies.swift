/// The currencies in which exchanges quote: government money and some coins. None of them ends in another one, so a
/// market's name without a separator can be split in one way only: PAXGUSD is PAXG in USD, because GUSD is not here.
enum QuoteCurrencies {
    static let usual: Set<String> = [
        "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "SGD", "HKD", "AED", "TRY", "BRL", "MXN",
        "ARS",
        "COP", "PLN", "CZK", "RON", "UAH", "RUB", "ZAR", "NGN",
        "USDT", "USDC", "USD1", "USDP", "USDS", "UST", "PAX", "DAI", "VAI", "EURI", "IDRT", "BIDR", "BKRW",
        "BVND",
        "BTC", "XBT", "ETH", "BNB", "XRP", "TRX", "DOGE", "DOT", "SOL",
    ]
}
