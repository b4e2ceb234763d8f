"""An example of the request body of each operation, for the OpenAPI schema.

A test sends each of them to a project that has what they name. In forms with files, a file is named.
"""

from collections.abc import Mapping
from typing import Any

WORKER = "W4K7Q2MZ9A"
ITEM = "wiki:3/2"
TONE = """title: Tone
fields:
  - key: tone
    type: choice
    options: [good, bad]
"""
WORDY_REASON = (
    "The answers repeat the sentence instead of naming the parts that were asked for. The guidelines "
    "show examples of the answers that we expect."
)

EXAMPLES: Mapping[str, dict[str, Any]] = {
    # projects
    "create_project": {
        "slug": "my-corpus",
        "title": "My corpus",
        "scheme": "custom",
        "definition": TONE,
        "cap_cents": 50_000,
        "protocol": "validation",
        "validators_per_item": 3,
        "validators_to_agree": 2,
    },
    "change_project": {
        "title": "My corpus",
        "cap_cents": 60_000,
        "minimum_hourly_cents": 1200,
        "pay_scheme": {
            "validator": {
                "reward_cents": 10,
                "free_units": 4,
                "bonus_first_cents": 2,
                "bonus_step_cents": 0,
                "allowance_units": 10,
            }
        },
        "shown_context": "2",
    },
    "delete_project": {"slug": "my-corpus"},
    "save_definition": {"definition": TONE, "changed_version": 1, "accept_effects": False},
    "write_guidelines": {
        "role": "generator",
        "text": "# Guidelines\n\nRead the sentence *twice*.\n",
        "translations": {"de": "# Richtlinien\n\nLesen Sie den Satz *zweimal*.\n"},
        "changed_version": 1,
    },
    "import_resource": {
        "resource": "lexicon",
        "file": "lexicon.json",
        "format": "json",
        "switch_on": ["core_only"],
    },
    # members
    "change_member": {"roles": ["trainer", "expert"]},
    "invite_member": {"email": "nina@example.org", "role": "trainer"},
    # corpus
    "import_corpus": {
        "files": ["sentences.txt"],
        "format": "text",
        "domain": "wikinews",
        "partition": "dev",
        "strict": True,
    },
    "withdraw_items": {"items": [ITEM], "reason": "The sentence is garbled."},
    "restore_items": {"items": [ITEM]},
    # batches
    "publish_batch": {
        "limit": 10,
        "keep_open": 3,
        "who": "anyone",
        "approval_rate": 95,
        "locales": ["US", "GB"],
        "cap_cents": 5000,
    },
    "change_batch": {"keep_open": 5, "cap_cents": 8000, "republish_limit": 2},
    "extend_batch": {"days": 14},
    "enlarge_batch": {"assignments": 1},
    # submissions
    "decide_submissions": {
        "accept": [17, 18],
        "reject": [{"id": 19, "reason": WORDY_REASON, "category": "LOW_EFFORT"}],
    },
    "reject_submission": {"reason": WORDY_REASON, "category": "LOW_EFFORT"},
    "overturn_rejection": {"use": False, "reason": "The reason was wrong."},
    "choose_copy": {"copy": "ours", "reason": "The other copy is cut."},
    # held bonuses
    "accept_bonus": {"units": {"17": 3}, "note": "Three of the units were counted."},
    "decline_bonus": {"reason": "The answers are copies of each other."},
    # studies
    "reject_session": {"reason": WORDY_REASON},
    "decide_session_payment": {"was_paid": True},
    # consolidation
    "import_gold": {"files": ["expert.csv"], "source": "expert", "strict": True},
    # rounds
    "add_round": {
        "title": "Screening",
        "is_screening": True,
        "sample": {"count": 1, "only_gold": False},
        "after_passing": "next-round",
    },
    "change_round": {"title": "Screening", "items_per_worker": 5, "approval_rate": 95},
    "choose_round_items": {"items": [ITEM]},
    "publish_round": {"slots": 20},
    "invite_workers": {"workers": [WORKER], "again": True},
    "decide_trainees": {
        "decisions": [
            {"id": 7, "verdict": "pass", "reason": "All figures are above the thresholds."}
        ],
        "send_feedback": False,
    },
    "send_feedback": {
        "feedback": [{"id": 7, "text": "Well done.", "notes": {ITEM: "These are two names."}}]
    },
    # pools and workers
    "admit_workers": {"role": "generator", "workers": [WORKER]},
    "withdraw_workers": {"workers": [WORKER], "reason": "You have not worked for a year."},
    "assign_groups": {"count": 2, "workers": {WORKER: 1}},
    "divide_pool": {"count": 2, "seed": 1},
    "message_workers": {
        "workers": [WORKER],
        "subject": "New guidelines",
        "text": "The guidelines have a new section about names.",
    },
    "write_worker_note": {"text": "Asked for examples."},
    "compensate_worker": {
        "amount_cents": 40,
        "purpose": "3ASG17",
        "reason": "Your work was lost by mistake.",
    },
    "erase_worker": {"how": "pseudonymise", "reason": "Requested on 3 May", "pseudonym": WORKER},
    # money
    "close_payment": {"reason": "Paid with a bonus for another task."},
    # exports, releases and scores
    "start_export": {"format": "jsonl", "source": "consolidated", "licence": "CC-BY-SA-4.0"},
    "start_release": {
        "version": "1.0",
        "source": "consolidated",
        "licence": "CC-BY-SA-4.0",
        "authors": [{"family": "Aldana", "given": "Zoë"}],
        "answers": {"origin": "Wikinews, 2019 to 2023."},
    },
    "evaluate_systems": {"systems": ["parser.jsonl"], "source": "consolidated"},
    "enter_benchmark": {"phase": "development", "system": "Parser", "file": "predictions.csv"},
    # webhooks
    "create_webhook": {"url": "https://hooks.example/touchstone", "events": ["gold.created"]},
    "change_webhook": {"events": ["gold.created", "job.failed"], "is_active": True},
    # site
    "block_worker": {"reason": "Copied answers, and was warned twice."},
    "unblock_worker": {"reason": "The answers were not copied."},
}
