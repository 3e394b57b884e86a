import PipeCommon

extension PriceSource {
    /// CryptoCompare, generated average. Requests have required an API key since 2026-05-21.
    ///
    ///     GET https://min-api.cryptocompare.com/data/generateAvg?fsym=BTC&tsym=USD&e=coinbase
    ///     {"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":103457.51,"LASTUPDATE":1737685911,…},"DISPLAY":{…}}
    ///
    /// `RAW.PRICE` is a number. `DISPLAY.PRICE` is a string with a rounded number and is not used. `LASTUPDATE` is the
    /// time of the price, in seconds since 1970.
    ///
    /// Some errors come with status 200: `{"Response":"Error","Message":"You are over your rate limit …","Type":99,…}`.
    /// `Message` can also be, for example, `Coinbase market does not exist for this coin pair (BTC-XYZ)` or a text
    /// about the API key.
    /// https://min-api.cryptocompare.com/documentation
    static let cryptoCompare = PriceSource(
        name: "cryptocompare", time: TimeField("/RAW/LASTUPDATE", in: .seconds),
        key: APIKey("CRYPTOCOMPARE_API_KEY", scheme: "Apikey"),
        advice: "set a valid API key: export CRYPTOCOMPARE_API_KEY=..."
    ) { market in
        "https://min-api.cryptocompare.com/data/generateAvg?fsym=\(market.base)&tsym=\(market.currency.code)&e=coinbase"
    } refusal: { status, answer in
        let isError = answer["Response"]?.string == "Error" || answer["Err"]?["message"] != nil
        guard status == 200, isError else { return nil }
        let text = answer.words(at: nil)?.lowercased() ?? ""
        if answer["Type"]?.number == "99" || text.contains("rate limit") { return .rateLimited }
        if text.contains("api key") { return .denied }
        return text.contains("market does not exist") ? .unsupported : .invalidData
    } price: { answer, market throws(InvalidInput) in
        try answer.expect("/RAW/FROMSYMBOL", market.base)
        try answer.expect("/RAW/TOSYMBOL", market.currency.code)
        return try answer.price("/RAW/PRICE", as: .number)
    }
}
