"""The command `import_corpus` on published and on invalid input."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Item, Sentence
from projects.domain.create_project import create_project
from projects.models import Project

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "qasrl-gs"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the published files are not here")
pytestmark = pytest.mark.django_db

SENTENCES = "qasrl_id,tokens,sentence\n"
ITEMS = "qasrl_id,verb_idx,verb,question,answer_range\n"


@pytest.fixture
def project() -> Project:
    return create_project(
        slug="corpus", scheme="qasrl", pay_scheme="qasrl-2020", now=timezone.now()
    )


def run(project: Project, *files: Path, fmt: str = "qasrl-csv", **options: object):
    """Import the files and return the counts and the text on stderr."""
    out, err = StringIO(), StringIO()
    call_command(
        "import_corpus",
        project.slug,
        *map(str, files),
        format=fmt,
        json=True,
        stdout=out,
        stderr=err,
        **options,
    )
    return json.loads(out.getvalue()), err.getvalue()


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@needs_data
def test_import_published_corpus_twice_adds_nothing(project):
    sentences, items = DATA / "wikinews.dev.full.csv", DATA / "wikinews.dev.gold.csv"
    facts, errors = run(project, sentences, items=[items], domain="wikinews", partition="dev")
    assert (facts["items_added"], facts["error_count"], errors) == (1264, 0, "")
    assert Item.objects.count() == 1264
    assert Sentence.objects.filter(items__isnull=False).distinct().count() == 500
    assert set(Sentence.objects.values_list("domain", "partition")) == {("wikinews", "dev")}
    before = list(Item.objects.order_by("pk").values_list("key", "position"))
    again, _ = run(project, sentences, items=[items])
    assert (again["sentences_added"], again["items_added"]) == (0, 0)
    assert (again["sentences_known"], again["items_known"]) == (facts["sentences_added"], 1264)
    assert list(Item.objects.order_by("pk").values_list("key", "position")) == before


def test_second_import_reports_nothing_new(project, tmp_path):
    path = written(tmp_path, "s.csv", SENTENCES + "a:1,The dog barked .,The dog barked .\n")
    run(project, path)
    out = StringIO()
    call_command("import_corpus", project.slug, str(path), format="qasrl-csv", stdout=out)
    assert out.getvalue() == "Nothing new: 1 sentences and 1 items already existed.\n"


def test_items_are_found_in_plain_text(project, tmp_path):
    text = "The dog barked . It had been sleeping.\n\nZoë has called the vet .\n"
    facts, _ = run(project, written(tmp_path, "t.txt", text), fmt="text")
    assert facts["sentences_added"] == 3
    verbs = {item.target["verb"] for item in Item.objects.all()}
    assert verbs == {"barked", "sleeping", "called"}


def test_items_of_conllu_are_its_verbs(project, tmp_path):
    rows = ["# sent_id = s1", "# text = Dogs bark .", "1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_"]
    rows += ["2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_", "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_"]
    facts, _ = run(project, written(tmp_path, "c.conllu", "\n".join(rows) + "\n\n"), fmt="conllu")
    assert (facts["sentences_added"], facts["items_added"]) == (1, 1)
    assert Item.objects.get().target["verb_idx"] == 1


def test_sentences_without_items_have_a_reason(project, tmp_path):
    path = written(tmp_path, "c.conllu", "1\tDogs\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n")
    out = StringIO()
    call_command("import_corpus", project.slug, str(path), format="conllu", stdout=out)
    assert out.getvalue() == (
        "1 sentences and 0 items added, 0 and 0 already existed. No items were found in them. Check "
        "the tags in the files, or give a list of the items.\n"
    )


def test_mark_of_a_document_alone_is_no_bad_row(project, tmp_path):
    text = "# newdoc id = d\n\n1\tGo\tgo\t_\tVB\t_\t0\troot\t_\t_\n"
    facts, _ = run(project, written(tmp_path, "c.conllu", text), fmt="conllu", strict=True)
    assert (facts["items_added"], facts["error_count"]) == (1, 0)


def test_verb_after_a_contraction_is_found(project, tmp_path):
    rows = "a:1,He cannot swim .,x\na:2,We cannot .,x\na:3,I wanna go .,x\n"
    run(project, written(tmp_path, "s.csv", SENTENCES + rows))
    items = {item.key: item.target for item in Item.objects.all()}
    assert {key: target["verb"] for key, target in items.items()} == {
        "a:1/2": "swim",
        "a:3/1": "wanna",
        "a:3/2": "go",
    }
    assert items["a:3/1"]["forms"]["pastParticiple"] == "wanted"


def test_bad_rows_are_reported_and_the_others_imported(project, tmp_path):
    sentences = written(
        tmp_path,
        "s.csv",
        SENTENCES
        + "a:1,The dog barked .,x\n,No id here .,x\na:1,Other words .,x\na:2,Cats purr .,x\n",
    )
    items = written(
        tmp_path,
        "q.csv",
        ITEMS
        + "a:1,2,barked,Who barked?,0:2\n"
        + "a:1,9,,Who?,0:1\n"  # not on a token
        + "a:1,x,,Who?,0:1\n"  # not a number
        + "a:9,0,,Who?,0:1\n"  # unknown sentence
        + "a:1,2,barked,When did something bark?,2:3\n"  # duplicate item
        + "a:2,1,purr,What purrs?,0:1\n",
    )
    facts, errors = run(project, sentences, items=[items])
    assert (facts["sentences_added"], facts["items_added"], facts["error_count"]) == (2, 2, 5)
    for place in (
        "s.csv, line 3",
        "s.csv, line 4",
        "q.csv, line 3",
        "q.csv, line 4",
        "q.csv, line 5",
    ):
        assert errors.count(place) == 1, errors
    assert sorted(Item.objects.values_list("key", flat=True)) == ["a:1/2", "a:2/1"]


def test_strict_import_stops_at_the_first_bad_row(project, tmp_path):
    good = written(tmp_path, "good.csv", SENTENCES + "a:1,The dog barked .,x\n")
    bad = written(tmp_path, "bad.csv", SENTENCES + "a:2,Cats purr .,x\n,No id .,x\n")
    with pytest.raises(CommandError, match=r"bad\.csv, line 3.*Nothing was imported") as error:
        run(project, good, bad, strict=True)
    assert error.value.returncode == 2
    assert not Sentence.objects.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "CSV|UTF-8|text"),
        ("qasrl_id,tokens\ncafé,café\n".encode("latin-1"), "UTF-8"),
        (b"id,words\na,b\n", "qasrl_id"),
    ],
    ids=["empty file", "not a CSV", "wrong encoding", "missing column"],
)
def test_unreadable_file_is_refused(project, tmp_path, content, message):
    with pytest.raises(CommandError, match=rf"(?i)bad\.csv.*({message})") as error:
        run(project, written(tmp_path, "bad.csv", content), items=[])
    assert error.value.returncode == 2
    assert "\n" not in str(error.value)
    assert not Sentence.objects.exists()


def test_line_of_50_megabytes_is_refused_with_little_memory(project, tmp_path):
    path = tmp_path / "long.csv"
    with path.open("w") as file:
        file.write(SENTENCES + "a:1,The dog barked .,x\na:2,")
        for _ in range(50):
            file.write("x" * 1_000_000)
        file.write("\n")
    with pytest.raises(CommandError, match=r"long\.csv, line 3"):
        run(project, path)


def test_missing_file_and_unknown_project_are_refused(project, tmp_path):
    with pytest.raises(CommandError, match=r"none\.csv"):
        run(project, tmp_path / "none.csv")
    with pytest.raises(CommandError, match=r"no project 'nobody'\. Projects: corpus"):
        call_command("import_corpus", "nobody", "x.csv", format="qasrl-csv")
    with pytest.raises(CommandError, match=r"'xml' is not a format"):
        run(project, written(tmp_path, "s.csv", SENTENCES), fmt="xml")


def test_shuffle_depends_on_the_seed_alone(project):
    from annotation.domain.corpus.import_corpus import shuffled_position

    keys = [f"k{number}" for number in range(200)]
    order = sorted(keys, key=lambda key: shuffled_position(1, key))
    keys.reverse()
    assert order == sorted(keys, key=lambda key: shuffled_position(1, key))
    assert order != sorted(keys, key=lambda key: shuffled_position(2, key))
    assert order != keys


def test_items_of_many_sentences_are_found_on_all_cores_in_their_order(project, tmp_path):
    text = "".join(f"Dog {number} barked .\n\nCat {number} slept .\n\n" for number in range(150))
    facts, errors = run(project, written(tmp_path, "t.txt", text), fmt="text")
    assert (facts["sentences_added"], facts["items_added"], errors) == (300, 300, "")
    verbs = [item.target["verb"] for item in Item.objects.order_by("pk")]
    assert verbs == ["barked", "slept"] * 150


def test_same_sentences_are_added_to_another_project(project, tmp_path):
    names = ["plain", "back\\slash", "100%", "Zoë", "dog 🐕", "it's", "[]"]
    corpus = written(
        tmp_path, "c.csv", SENTENCES + "".join(f"{name},Dogs bark .,\n" for name in names)
    )
    other = create_project(
        slug="other", scheme="qasrl", pay_scheme="qasrl-2020", now=timezone.now()
    )
    for target in (project, other):
        facts, errors = run(target, corpus)
        assert (facts["sentences_added"], facts["items_added"], errors) == (7, 0, "")
        assert set(target.sentences.values_list("external_id", flat=True)) == set(names)
    again, _ = run(other, corpus)
    assert (again["sentences_added"], again["sentences_known"]) == (0, 7)
