"""The wallet: costs, locks, rewards and bonuses. Amounts are minor units."""

from decimal import Decimal, InvalidOperation

from tests.fakes.prolific.errors import ApiError, invalid, no_funds, not_found
from tests.fakes.prolific.routing import Request, Response, route
from tests.fakes.prolific.state import (
    PAID,
    RUNNING,
    UNDECIDED,
    BulkBonus,
    Movement,
    PendingBonus,
    Platform,
    Study,
    Submission,
    Workspace,
)

# The minimum and the recommended reward per hour, in minor units.
HOURLY = {"GBP": (600, 900), "USD": (800, 1200)}
MAX_BONUSES = 200


def balance(platform: Platform, workspace: Workspace) -> int:
    """Return the money in the wallet, including locked amounts."""
    return workspace.start - sum(
        movement.total for movement in platform.movements if movement.workspace == workspace.id
    )


def locked(platform: Platform, workspace: Workspace) -> int:
    """Return the money that is locked for open places and for bonuses in transit."""
    projects = {row.id for row in platform.projects.values() if row.workspace == workspace.id}
    places = sum(
        lock_of(platform, study) for study in platform.studies.values() if study.project in projects
    )
    bonuses = sum(
        workspace.cost(bonus.amount)
        for bonus in platform.pending_bonuses
        if bonus.workspace == workspace.id and not bonus.is_lost
    )
    return places + bonuses


def lock_of(platform: Platform, study: Study) -> int:
    """Return the cost of a study's places that are not paid yet."""
    workspace = platform.workspace_of(study)
    rows = platform.submissions_of(study)
    undecided = sum(row.status in UNDECIDED for row in rows)
    if study.status not in RUNNING or study.stopped:
        return undecided * workspace.cost(study.reward)
    paid_count = sum(row.status in PAID for row in rows)
    places = max(study.places - paid_count, undecided)
    return places * workspace.cost(study.reward) + screen_out_lock(platform, study)


def screen_out_lock(platform: Platform, study: Study) -> int:
    """Return the cost of the unused slots for screened-out participants."""
    workspace = platform.workspace_of(study)
    used = sum(row.status == "SCREENED OUT" for row in platform.submissions_of(study))
    return sum(
        max(0, action["slots"] - used) * workspace.cost(action["fixed_screen_out_reward"])
        for code in study.fields["completion_codes"]
        for action in code["actions"]
        if action["action"] == "FIXED_SCREEN_OUT_PAYMENT"
    )


def available(platform: Platform, workspace: Workspace) -> int:
    return balance(platform, workspace) - locked(platform, workspace)


def check_funds(platform: Platform, workspace: Workspace, extra: int = 0) -> None:
    """Raise an error if the wallet can't cover the locks and an extra amount."""
    if available(platform, workspace) < extra:
        raise no_funds()


def pay(platform: Platform, submission: Submission, amount: int, kind: str) -> None:
    workspace = platform.workspace_of(platform.studies[submission.study])
    fee, vat = workspace.charges(amount)
    platform.movements.append(
        Movement(kind, amount, fee, vat, submission.id, workspace.id, platform.now)
    )
    if kind != "reward":
        submission.bonus_payments.append(amount)


def deliver_due_bonuses(platform: Platform) -> None:
    waiting = []
    for bonus in platform.pending_bonuses:
        if bonus.due_at > platform.now:
            waiting.append(bonus)
        elif not bonus.is_lost:
            pay(platform, platform.submissions[bonus.submission], bonus.amount, "bonus")
    platform.pending_bonuses = waiting


@route("POST", "/submissions/bonus-payments/")
def set_up_bonuses(platform: Platform, request: Request) -> Response:
    study = platform.study(request.text("study_id"))
    workspace = platform.workspace_of(study)
    lines = parse_bonuses(platform, study, request.text("csv_bonuses"))
    bulk = BulkBonus(platform.new_id(), study.id, workspace.id, lines)
    platform.bulk_bonuses[bulk.id] = bulk
    amount = sum(amount for _, amount in lines)
    charges = [workspace.charges(amount) for _, amount in lines]
    fees, vat = (sum(column) for column in zip(*charges, strict=True))
    body = {
        "id": bulk.id,
        "study": study.id,
        "amount": amount,
        "fees": fees,
        "vat": vat,
        "total_amount": amount + fees + vat,
    }
    return Response(201, body)


def parse_bonuses(platform: Platform, study: Study, text: str) -> tuple[tuple[str, int], ...]:
    """Return (submission, amount) per line of `id,1.50`. An id is a participant's or a submission's."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MAX_BONUSES:
        raise invalid(csv_bonuses=f"At most {MAX_BONUSES} bonuses can be set up at once.")
    rows = {row.id: row for row in platform.submissions_of(study)}
    by_person = {row.participant: row for row in rows.values()}
    bonuses, problems = [], []
    for line in lines:
        key, _, number = line.partition(",")
        submission = rows.get(key.strip()) or by_person.get(key.strip())
        amount = _minor_units(number.strip())
        if submission is None:
            problems.append(f"{key.strip()} did not take part in this study.")
        elif not amount:
            problems.append(f"{number.strip()} is not a valid amount.")
        else:
            bonuses.append((submission.id, amount))
    if problems:
        raise ApiError(400, problems)
    return tuple(bonuses)


def _minor_units(text: str) -> int:
    """Return an amount such as "1.50" in minor units, or 0 if it is not a valid amount."""
    try:
        amount = Decimal(text) * 100
    except InvalidOperation:
        return 0
    is_whole = amount.is_finite() and amount == amount.to_integral_value()
    return int(amount) if is_whole and amount > 0 else 0


@route("POST", "/bulk-bonus-payments/{key}/pay/")
def pay_bonuses(platform: Platform, request: Request, key: str) -> Response:
    """Accept a payment, which arrives later. A repeat pays again."""
    bulk = platform.bulk_bonuses.get(key)
    if bulk is None:
        raise not_found("Bulk bonus payment")
    workspace = platform.workspaces[bulk.workspace]
    check_funds(platform, workspace, sum(workspace.cost(amount) for _, amount in bulk.lines))
    is_lost = platform.bonuses_to_lose > 0
    platform.bonuses_to_lose -= is_lost
    due_at = platform.now + platform.options.bonus_delay
    platform.pending_bonuses += [
        PendingBonus(submission, amount, workspace.id, due_at, is_lost)
        for submission, amount in bulk.lines
    ]
    return Response(202, "The payment is being processed.")


@route("GET", "/workspaces/{key}/balance/")
def read_balance(platform: Platform, request: Request, key: str) -> Response:
    if not platform.options.has_balance_endpoint:
        raise not_found("Page")
    workspace = platform.workspace(key)
    amounts = balance(platform, workspace), available(platform, workspace)
    total, free = (_breakdown(workspace, amount) for amount in amounts)
    body = {
        "currency_code": workspace.currency,
        "total_balance": amounts[0],
        "balance_breakdown": total,
        "available_balance": amounts[1],
        "available_balance_breakdown": free,
    }
    return Response(200, body)


def _breakdown(workspace: Workspace, amount: int) -> dict[str, int]:
    """Split money into the shares of participants, Prolific and taxes."""
    rate = 1 + workspace.fee_rate * (1 + workspace.vat_rate)
    rewards = int(amount / rate)
    fees = int(rewards * workspace.fee_rate)
    return {"rewards": rewards, "fees": fees, "vat": amount - rewards - fees}


@route("GET", "/reward-recommendations/")
def recommend_rewards(platform: Platform, request: Request) -> Response:
    if not platform.options.has_reward_recommendations:
        raise not_found("Page")
    workspace = platform.workspace(request.query.get("workspace_id", ""))
    currency = request.query.get("currency", "")
    if currency not in HOURLY or currency != workspace.currency:
        raise invalid(currency="Not a valid choice.")
    minimum, recommended = HOURLY[currency]
    rate = {
        "currency": currency,
        "min_reward_per_hour": minimum,
        "recommended_reward_per_hour": recommended,
    }
    return Response(200, [rate])


@route("POST", "/study-cost-calculator/")
def calculate_cost(platform: Platform, request: Request) -> Response:
    numbers = [request.fields.get(name) for name in ("reward", "total_available_places")]
    if not all(isinstance(number, int) and number > 0 for number in numbers):
        raise invalid(reward="Enter a reward and a number of places.")
    reward, places = numbers
    workspace = next(iter(platform.workspaces.values()))
    return Response(200, {"total_cost": places * workspace.cost(reward)})


@route("GET", "/studies/{key}/cost/")
def read_cost(platform: Platform, request: Request, key: str) -> Response:
    study = platform.study(key)
    workspace = platform.workspace_of(study)
    submissions = {row.id for row in platform.submissions_of(study)}
    sums = {"rewards": [0, 0, 0], "bonuses": [0, 0, 0]}
    for movement in platform.movements:
        if movement.submission in submissions:
            columns = sums["rewards" if movement.kind == "reward" else "bonuses"]
            for column, amount in enumerate((movement.amount, movement.fee, movement.vat)):
                columns[column] += amount
    if request.query.get("is_projected", "").lower() == "true":
        fee, vat = workspace.charges(study.reward)
        sums["rewards"] = [study.places * amount for amount in (study.reward, fee, vat)]
    return Response(
        200,
        {
            kind: {
                name: {"amount": amount, "currency": workspace.currency}
                for name, amount in zip(("rewards", "fees", "tax"), columns, strict=True)
            }
            for kind, columns in sums.items()
        },
    )
