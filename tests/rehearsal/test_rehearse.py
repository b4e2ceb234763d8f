"""Test of rehearsals that cannot start."""

import pytest

from projects.domain.choose_protocol import choose_protocol
from rehearsal.domain.rehearse import Options, rehearse
from rehearsal.domain.worker import RehearsalFailedError
from tests.annotation.factories import make_item, make_project
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("protocol", ["consolidation", "validation"])
def test_rehearsal_with_too_few_workers_names_the_required_number(protocol):
    project = make_project()
    make_item(project)
    project = choose_protocol(project=project, protocol=protocol, actor="test", now=NOW)
    with pytest.raises(RehearsalFailedError, match="needs at least 3 workers"):
        rehearse(
            project=project,
            site="http://127.0.0.1:9",
            options=Options(workers=2, invent=True),
            progress=lambda done, total: None,
        )
