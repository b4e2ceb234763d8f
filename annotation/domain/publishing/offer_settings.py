"""The settings that the preview of an import offers, because rows would be refused without them."""

from collections.abc import Collection, Mapping

from schemes.contract.values import Noun
from schemes.import_settings import Setting

DIFFERENCES = Noun("difference", "differences")
_TEXTS = {
    Setting.UPDATE: "Only what no work depends on is replaced.",
    Setting.ALIGN: "Positions are moved to the tokens of the project, where the text is the same.",
    Setting.RESCALE_BOXES: (
        "For pictures that are smaller or larger copies of those that the file describes."
    ),
    Setting.ADD_ROLES: "Roles that only the file has become part of the project's inventory.",
}


def offered_settings(
    *,
    offers: Mapping[str, int],
    chosen: Collection[Setting],
    replaceable: int = 0,
    with_work: int = 0,
) -> dict[Setting, str]:
    """Return the settings that are chosen or would accept rows, with their descriptions.

    `offers` counts those rows by parameter. `replaceable` and `with_work` count the sentences and items
    that differ from the project.
    """
    texts = dict(_TEXTS)
    if replaceable:
        text = f"{DIFFERENCES.count(replaceable)} can be replaced."
        texts[Setting.UPDATE] = (
            f"{text} Work depends on {with_work:,} more, which will stay." if with_work else text
        )
    return {
        setting: texts[setting]
        for setting in Setting
        if setting in chosen or offers.get(setting.parameter)
    }
