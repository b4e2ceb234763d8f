"""English abbreviations that end in a full stop, affixes, and words at the ends of sentences."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Before a name, and capitalised. No sentence ends after them.
TITLES = _words(
    """mr mrs ms messrs dr drs prof rev hon gen col maj capt cpt lt sgt cpl cmdr adm gov sen sens rep
    reps pres supt insp st sts ste mt ft fr br atty"""
)
# Before what they introduce. No sentence ends after them.
INTRODUCTIONS = _words("p.s ps n.b e.g i.e vs v cf viz")
# Before a number or a comma. Without them, the full stop ends a sentence: "He said no."
NUMBERED = _words(
    """no nos vol vols pp fig figs eq sec ch art jan feb mar apr jun jul aug sep sept oct nov dec mon tue
    tues wed thu thur thurs fri sat sun ala ariz ark calif colo conn del fla ga ill ind kan ky la mass md
    mich minn miss mo mont neb nev okla ore pa penn tenn tex va vt wash wis wyo"""
)
ABBREVIATIONS = _words(
    """jr sr esq inc corp co ltd bros assn dept univ inst etc vs cf al approx ave blvd hwy pkwy
    bldg apt misc ext tel dist intl natl govt ref refs viz ca incl excl resp max min avg tbsp tsp orig
    publ"""
)
# The affixes that the Linguistic Data Consortium's guidelines for treebanks do not split off.
PREFIXES = _words(
    """a agro ante anti arch be bi bio co counter cross cyber de e eco ex extra geo hyper infra inter
    intra macro mega meta micro mid mini mis multi neo non over pan para peri post pre pro pseudo quasi
    re semi sub super tele trans tri u ultra un under uni vice x"""
)
SUFFIXES = _words("esque ette fest fold gate itis less most rama wise")
# Words that follow the end of a sentence rather than an initial or a name's abbreviation.
STARTERS = _words(
    """A After All Although An And As At Because But By For From He Her His How However I If In It Its
    My No Not On One Our She So Some Such That The Their Then There These They This Those Though To
    Under Until We What When Where While Who Why With You Your"""
)
# Short words before a full stop that are no abbreviations.
SHORT_WORDS = _words("all did do go her him it me not now off on one out so too up us was yes you")
