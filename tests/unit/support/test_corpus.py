"""The archive holds the whole corpus, and the loader finds what belongs together."""

from collections import Counter

import pytest
from support import corpus

CASES_BY_FOLDER_AND_VERSION = {
    "accept": (207, 213, 230, 243, 268),
    "real": (39, 41, 45, 57, 57),
    "deep": (59, 63, 68, 83, 87),
}


@pytest.mark.parametrize("folder", corpus.VERSIONED_FOLDERS)
def test_number_of_cases(folder: corpus.Folder):
    count = Counter(case.version for case in corpus.cases(folder))
    assert (
        tuple(count[version] for version in corpus.VERSIONS)
        == (CASES_BY_FOLDER_AND_VERSION[folder])
    )


def test_every_versioned_case_has_bytecode_and_text():
    for case in corpus.cases():
        assert case.bytecode.startswith(b"\x7fTileIR\x00"), case
        assert case.text, case


def test_debug_info_text_where_it_is_promised():
    assert all(case.g_text for case in corpus.cases("real", "deep"))
    assert all(case.g_text is None for case in corpus.cases("accept"))


def test_case_by_id():
    case = corpus.case("real/13.3/axpy_f32")
    assert (case.folder, case.version, case.name) == ("real", "13.3", "axpy_f32")
    assert case.text.startswith(b"entry @axpy_f32(")
    assert case.source_text is None
    with pytest.raises(KeyError, match="real/13\\.3/nothing"):
        corpus.case("real/13.3/nothing")


def test_source_text_is_module_wrapped():
    source = corpus.case("deep/13.1/arith_all_modifiers").source_text
    assert source is not None
    assert source.startswith(b"cuda_tile.module ")


def test_verifier_cases_name_their_folder():
    folder_by_expectation = {"reject": "reject", "accept": "odd"}
    assert Counter(case.expect for case in corpus.verifier_cases()) == {"reject": 129, "accept": 33}
    for verifier_case in corpus.verifier_cases():
        assert verifier_case.case.folder == folder_by_expectation[verifier_case.expect]
        assert verifier_case.case.bytecode
