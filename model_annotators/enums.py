from web.states import State, Tone, action


class ModelState(State):
    ACTIVE = "active", Tone.SUCCESS, action("registered"), "Active"
    RETIRED = "retired", Tone.NEUTRAL, action("retired"), "Retired"
