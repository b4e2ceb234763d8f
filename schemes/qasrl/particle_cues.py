"""Cues that a verb has a particle ("gave up", "gave it up"). The lists are not complete."""

from collections.abc import Iterator

from schemes.contract.values import Tokens
from schemes.qasrl.complement_cues import CLAUSE_ENDS
from schemes.qasrl.prepositions import PREPOSITIONS

# The particles of the closed list of prepositions, with common verbs of each.
_PHRASAL = {
    "up": """
        add back beat blow break bring build burn buy call catch check cheer clean clear close come
        cover crop cut divide do draw dress drum dry eat end face fill finish follow free get give
        go grow hang heat hold hook keep lead let light line link live lock look make mess mix move
        open pass pay pick pile play pop pull put ring rise roll round run save serve set shake show
        shut sign sit size slow speak speed split stand start stay step stir sum take team tear
        throw tie tighten top trip turn use wake walk warm wash wind wipe work wrap write
    """,
    "out": """
        act back bail bear block blow blurt branch break bring burn buy call carry check clear close
        come cross cry cut die dig dine dish drop drown eat edge fade fall figure fill find get
        give go hand hang head help hold hollow iron keep kick lash lay leave let lock look lose
        make map mete miss move opt pass pay phase pick play point pour pull put reach read ring
        roll root rule run sell send set shell shout shut single sit sort speak spell stamp stand
        start stay step stick storm stretch strike take tear test think throw try turn wait walk
        wash watch wear wipe work write
    """,
    "down": """
        back bear blow break bring burn calm chase climb close come cool crack cut die dig fall gun
        get go hand hold hunt keep kneel knock lay let lie look march mow narrow nail pass pin play
        pour pull put run scale send set settle shoot shut sit slow stand stare step strike take
        talk tear throw tone tie touch track trickle turn vote water wear weigh wind write
    """,
    "off": """
        back beat blast block break bring brush buy call carry cast check close come cool cordon
        cross cut die drive drop dry face fall fend fight finish get give go hold keep kick kill
        knock laugh lay leave let level lift live log mark pay peel play pull put rip round rule run
        seal sell send set show shrug shut sign slip spark spin split square stand start stave stop
        strike switch take tail tear tee tell throw tip top trade turn ward wave wear wipe write
    """,
    "over": """
        boil bring carry come cross fall get give go hand knock lean look move pass pay pull put roll
        run sign spill stand start stay stop switch take talk think throw tide tip turn win
    """,
    "away": """
        back blow break carry cast clear come die do draw drift drive explain fade fall flee get give
        go hide keep lock look move pass pull put run scare send sign slip stay steal step stow take
        tear throw turn walk wash waste wear wither
    """,
    "on": """
        bring build call carry catch cheer come count drag draw egg embark feed focus get go hang
        hold insist keep lead let live look log move pass pick plan play press pull push put rely
        sign spur stay switch take test touch try turn urge wait work
    """,
    "in": """
        back book break bring call cash cave check chip close come cut draw drop fill fit get give go
        hand kick lay let live lock log move phase pitch plug pour pull push put ring rake reel rein
        result rub set settle sign sink stand step sub succeed take throw trade tune turn usher vote
        weigh write
    """,
    "around": "bring come drive get go hang kick knock look mess move pass play run shop stand turn",
    "along": "come get go move pass play run sing string tag take walk",
    "through": "break carry come cut fall follow get go live look pass pull push put run see sell",
    "about": "bring come go set talk think worry",
    "across": "come get put run",
    "ahead": "edge forge get go lie look move plan press pull push stay think",
    "apart": "break come drift drive fall grow move pull set take tear tell",
    "aside": "brush cast lay leave move push put set stand step sweep turn wave",
    "by": "come drop fly get go lay pass put stand stop swear",
}
_VERBS = {particle: frozenset(verbs.split()) for particle, verbs in _PHRASAL.items()}
_WINDOW = 4


def particle_cues(tokens: Tokens, verb_idx: int, stem: str) -> Iterator[str]:
    """Yield cues from the particle next to the verb or after a short object."""
    words = [token.lower() for token in tokens]
    at = next(
        (
            at
            for at in range(verb_idx + 1, min(verb_idx + 1 + _WINDOW, len(words)))
            if words[at] in PREPOSITIONS or words[at] in CLAUSE_ENDS
        ),
        len(words),
    )
    if at == len(words) or words[at] not in _VERBS:
        return
    place = "next" if at == verb_idx + 1 else "after object"
    listed = "listed" if stem in _VERBS[words[at]] else "other"
    yield f"particle {place}"
    yield f"particle {place} {listed}"
    yield f"particle {listed} before {_kind(words, at + 1)}"
    yield f"particle {words[at]} {listed}"


def _kind(words: list[str], at: int) -> str:
    if at >= len(words) or words[at] in CLAUSE_ENDS:
        return "end"
    return "preposition" if words[at] in PREPOSITIONS else "words"
