"""The page of a project's pay scheme."""

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.domain.publishing.cost_model import item_cents, role_costs
from annotation.domain.publishing.queries import corpus_size
from annotation.forms import PayForm
from crowd.domain.money.pay_scheme import PayScheme, PaySchemeError, check_pay_scheme
from projects.domain.cached_figures import figures_of
from projects.domain.change_project import ProjectChangeError, change_pay
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import actor_of, report_changes


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def pay(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Show and change the pay scheme. "forecast" shows its effect without saving it."""
    vocabulary = scheme_of(project).vocabulary
    wanted = request.GET.get("preset", "") if request.method == "GET" else ""
    presets = vocabulary.pay_presets
    present = check_pay_scheme(wanted, presets) if wanted in presets else project.pay_scheme
    unit = vocabulary.unit
    # The terms of roles that the protocol doesn't use are kept.
    forms = [
        PayForm(request.POST or None, role=role, unit=unit, initial=terms)
        for role, terms in present.items()
        if project.redundancy(role)
    ]
    bound, valid = bool(request.POST), all(form.is_valid() for form in forms)
    changed = {form.role: form.cleaned_data for form in forms} if valid else {}
    new_scheme: PayScheme = {**present, **changed}  # type: ignore[dict-item]  # the form has the fields of Terms
    problem = ""
    if valid and "save" in request.POST:
        try:
            changes = change_pay(
                project=project, pay_scheme=new_scheme, actor=actor_of(request), now=timezone.now()
            )
        except (PaySchemeError, ProjectChangeError) as error:
            problem = str(error)
        else:
            report_changes(request, changes)
            return redirect("annotation:pay", slug=project.slug)
    costs = role_costs(project=project, pay_scheme=new_scheme)
    items = figures_of(corpus_size, project=project).value.items
    cents_per_item = item_cents(costs, project=project)
    context = {
        "forms": forms,
        "pay_scheme": new_scheme,
        "problem": problem,
        "presets": {name: vocabulary.pay_title(name) for name in presets},
        "units": f"{unit.plural.capitalize()}|number",
        "forecasts": costs,
        "items": items,
        "each": cents_per_item,
        "all": cents_per_item * items,
        "is_saved": new_scheme == project.pay_scheme,
    }
    is_invalid = bound and (not valid or bool(problem))
    return render_page(
        request, project, "annotation/pay.html", context, status=422 if is_invalid else 200
    )
