"""Steps of real MTurk tools, run in a process of their own: TOOL STEP KEY SECRET ARGUMENTS.

The tools are on the import path, with the line changed that docs/how-to/mturk-tools.md names.
A step prints its result as JSON.
"""

import datetime
import json
import sys
from configparser import ConfigParser
from typing import Any

PAGE = "https://lab.example/experiment/"
BONUS = "0.50"


class PsiTurk:
    """The part of psiTurk that talks to MTurk."""

    def __init__(self, key: str, secret: str) -> None:
        from psiturk.amt_services import MTurkServices

        config = ConfigParser()
        config["AWS Access"] = {"aws_access_key_id": key, "aws_secret_access_key": secret}
        self.services = MTurkServices(config=config, mode="sandbox")

    def do(self, name: str, *arguments: Any, **options: Any) -> Any:
        response = getattr(self.services, name)(*arguments, **options)
        if not response.success:
            raise response.exception
        return response.data

    def create(self) -> dict[str, Any]:
        hit = self.do(
            "create_hit",
            {
                "approve_requirement": 0,
                "number_hits_approved": 0,
                "require_master_workers": False,
                "us_only": True,
                "require_qualification_ids": [],
                "block_qualification_ids": [],
                "advanced_qualifications": [],
                "title": "A psychology experiment",
                "description": "Judge words.",
                "reward": 1.00,
                "duration": datetime.timedelta(hours=2),
                "keywords": "psychology",
                "ad_location": PAGE,
                "lifetime": datetime.timedelta(days=1),
                "max_assignments": 1,
            },
        )
        return {"HITId": hit["HITId"], "HITTypeId": hit["HITTypeId"]}

    def review(self, hit: str) -> dict[str, Any]:
        balance = self.do("check_balance")
        [row] = self.do("get_assignments", hit_ids=hit)
        self.do("approve_assignment", row["assignmentId"])
        self.do("bonus_assignment", row["assignmentId"], row["workerId"], BONUS, "Thank you")
        [approved] = self.do("get_assignments", assignment_status="Approved", hit_ids=hit)
        self.do("expire_hit", hit)
        self.do("delete_hit", hit)
        return {
            "balance": float(balance),
            "worker": row["workerId"],
            "status": approved["status"],
            "hits": len(self.do("get_all_hits")),
        }


class OTree:
    """oTree's own client, which signs requests itself."""

    def __init__(self, key: str, secret: str) -> None:
        import os

        os.environ |= {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret}
        from otree.mturk_client import TurkClient

        self.client = TurkClient

    def create(self) -> dict[str, Any]:
        question = (
            '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/'
            'AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">'
            f"<ExternalURL>{PAGE}</ExternalURL><FrameHeight>500</FrameHeight></ExternalQuestion>"
        )
        hit = self.client.create_hit(
            {
                "Title": "Decision making",
                "Description": "An economics study.",
                "Keywords": "bonus, study",
                "Reward": "0.50",
                "MaxAssignments": 1,
                "AssignmentDurationInSeconds": 3600,
                "LifetimeInSeconds": 604_800,
                "UniqueRequestToken": "session-1",
                "Question": question,
            },
            use_sandbox=True,
        )["HIT"]
        return {"HITId": hit["HITId"], "HITTypeId": hit["HITTypeId"]}

    def review(self, hit: str) -> dict[str, Any]:
        page = self.client.list_assignments_for_hit({"HITId": hit}, use_sandbox=True)
        [row] = page["Assignments"]
        of_assignment = {"AssignmentId": row["AssignmentId"]}
        self.client.approve_assignment(of_assignment, use_sandbox=True)
        bonus = {"WorkerId": row["WorkerId"], "BonusAmount": BONUS, "Reason": "Thank you"}
        self.client.send_bonus(bonus | of_assignment, use_sandbox=True)
        past = {"HITId": hit, "ExpireAt": datetime.datetime(2015, 1, 1).timestamp()}  # noqa: DTZ001
        self.client.update_expiration(past, use_sandbox=True)
        page = self.client.list_assignments_for_hit({"HITId": hit}, use_sandbox=True)
        return {"worker": row["WorkerId"], "status": page["Assignments"][0]["AssignmentStatus"]}


TOOLS = {"psiTurk": PsiTurk, "oTree": OTree}

if __name__ == "__main__":
    tool, step, key, secret, *arguments = sys.argv[1:]
    sys.stdout.write(json.dumps(getattr(TOOLS[tool](key, secret), step)(*arguments)))
