"""The languages that a corpus can have: BCP 47 tags with their English names and directions.

They are those of ISO 639-1, others that corpora are annotated in, and some with a script or region.
"""

from collections.abc import Mapping

DEFAULT_LANGUAGE = "en"
MAX_TAG_LENGTH = 35

_NAMES = """
aa Afar|ab Abkhazian|af Afrikaans|ak Akan|akk Akkadian|am Amharic|an Aragonese|ang Old English|ar Arabic
arc Aramaic|arz Egyptian Arabic|as Assamese|ast Asturian|av Avaric|ay Aymara|az Azerbaijani|ba Bashkir
bar Bavarian|be Belarusian|bg Bulgarian|bho Bhojpuri|bi Bislama|bm Bambara|bn Bangla|bo Tibetan|br Breton
bs Bosnian|ca Catalan|ce Chechen|ceb Cebuano|ch Chamorro|chr Cherokee|ckb Central Kurdish|co Corsican
cop Coptic|cr Cree|cs Czech|cu Church Slavic|cv Chuvash|cy Welsh|da Danish|de German|de-AT Austrian German
de-CH Swiss High German|dsb Lower Sorbian|dv Divehi|dz Dzongkha|ee Ewe|el Greek|en English
en-GB British English|en-US American English|eo Esperanto|es Spanish|es-419 Latin American Spanish
et Estonian|eu Basque|fa Persian|ff Fula|fi Finnish|fil Filipino|fj Fijian|fo Faroese|fr French
fr-CA Canadian French|fro Old French|fy Western Frisian|ga Irish|gd Scottish Gaelic|gl Galician
gmh Middle High German|gn Guarani|goh Old High German|got Gothic|grc Ancient Greek|gsw Swiss German
gu Gujarati|gv Manx|ha Hausa|haw Hawaiian|he Hebrew|hi Hindi|ho Hiri Motu|hr Croatian|hsb Upper Sorbian
ht Haitian Creole|hu Hungarian|hy Armenian|hz Herero|ia Interlingua|id Indonesian|ie Interlingue|ig Igbo
ii Sichuan Yi|ik Inupiaq|io Ido|is Icelandic|it Italian|iu Inuktitut|ja Japanese|jv Javanese|ka Georgian
kab Kabyle|kg Kongo|ki Kikuyu|kj Kuanyama|kk Kazakh|kl Kalaallisut|km Khmer|kmr Northern Kurdish
kn Kannada|ko Korean|kr Kanuri|ks Kashmiri|ku Kurdish|kv Komi|kw Cornish|ky Kyrgyz
lb Luxembourgish|lg Ganda|li Limburgish|ln Lingala|lo Lao|lt Lithuanian|lu Luba-Katanga|lv Latvian
lzh Classical Chinese|mg Malagasy|mh Marshallese|mi Māori|mk Macedonian|ml Malayalam|mn Mongolian
mr Marathi|ms Malay|mt Maltese|my Burmese|na Nauru|nb Norwegian Bokmål|nd North Ndebele|nds Low German
ne Nepali|ng Ndonga|nl Dutch|nn Norwegian Nynorsk|no Norwegian|nr South Ndebele|nv Navajo|ny Nyanja
oc Occitan|oj Ojibwa|om Oromo|or Odia|os Ossetic|ota Ottoman Turkish|pa Punjabi|pcm Nigerian Pidgin
pi Pali|pl Polish|ps Pashto|pt Portuguese|pt-BR Brazilian Portuguese|qu Quechua|rm Romansh|rn Rundi
ro Romanian|ru Russian|rw Kinyarwanda|sa Sanskrit|sc Sardinian|sd Sindhi|se Northern Sami|sg Sango
si Sinhala|sk Slovak|sl Slovenian|sm Samoan|sn Shona|so Somali|sq Albanian|sr Serbian
sr-Latn Serbian, Latin script|ss Swati|st Southern Sotho|su Sundanese|sv Swedish|sw Swahili|syr Syriac
ta Tamil|te Telugu|tg Tajik|th Thai|ti Tigrinya|tk Turkmen|tl Tagalog|tn Tswana|to Tongan
tpi Tok Pisin|tr Turkish|ts Tsonga|tt Tatar|tw Twi|ty Tahitian|udm Udmurt|ug Uyghur|uk Ukrainian|ur Urdu
uz Uzbek|ve Venda|vi Vietnamese|vo Volapük|wa Walloon|wo Wolof|xh Xhosa|yi Yiddish|yo Yoruba
yue Cantonese|za Zhuang|zh Chinese|zh-Hans Chinese, simplified|zh-Hant Chinese, traditional|zu Zulu
"""
LANGUAGES: Mapping[str, str] = dict(
    entry.split(" ", 1) for entry in _NAMES.strip().replace("\n", "|").split("|")
)
CHOICES = sorted(
    ((tag, f"{name} ({tag})") for tag, name in LANGUAGES.items()), key=lambda choice: choice[1]
)
# Those that are written from right to left, whatever their region
_RIGHT_TO_LEFT = {
    *("ar", "arc", "arz", "ckb", "dv", "fa", "he", "ks"),
    *("ota", "ps", "sd", "syr", "ug", "ur", "yi"),
}


def direction_of(tag: str) -> str:
    """Return the value of `dir` for texts of the language.

    Texts of other languages show by their first letter if they are quotations from one of these.
    """
    return "rtl" if tag.partition("-")[0] in _RIGHT_TO_LEFT else "auto"
