"""GEO files: what is read, what is left out, and what is said when there is nothing to read."""

from __future__ import annotations

import gzip
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from atmostk.datasets import load_geo

SOFT = """^DATABASE = Geo
!dataset_title = A small one
^SUBSET = GDS1_1
!subset_description = wild type
!subset_sample_id = GSM1,GSM2
!dataset_table_begin
ID_REF\tIDENTIFIER\tGSM1\tGSM2\tGSM3
p1\tTRS120\t1.0\t2.0\t4.5
p2\tSCC2\tnull\t1.0\t1.0
p3\tMID2\t-1.0\t0.0\t1.0
p4\tFLAT\t7.0\t7.0\t7.0
!dataset_table_end
"""
MATRIX = """!Series_title\t"A series"
!series_matrix_table_begin
"ID_REF"\t"GSM1"\t"GSM2"
"p1"\t1.5\t2
"p2"\t\t3
!series_matrix_table_end
"""


@pytest.fixture
def soft(tmp_path: Path) -> Path:
    file = tmp_path / "GDS1.soft"
    file.write_text(SOFT)
    return file


def test_samples_are_rows_and_genes_with_missing_values_are_left_out(soft: Path) -> None:
    read = load_geo(soft, standardize=None)
    np.testing.assert_array_equal(read.X, [[1.0, -1.0, 7.0], [2.0, 0.0, 7.0], [4.5, 1.0, 7.0]])
    assert read.names.tolist() == ["TRS120", "MID2", "FLAT"]
    assert read.identifiers.tolist() == ["p1", "p3", "p4"]
    assert read.samples.tolist() == ["GSM1", "GSM2", "GSM3"]
    assert (read.title, read.groups) == ("A small one", {"wild type": ("GSM1", "GSM2")})


def test_variables_are_standardised_and_those_that_never_vary_left_out(soft: Path) -> None:
    read = load_geo(soft)
    assert read.names.tolist() == ["TRS120", "MID2"]
    np.testing.assert_allclose(read.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(read.X.std(axis=0), 1)


def test_samples_are_standardised_as_the_released_program_does(soft: Path) -> None:
    read = load_geo(soft, standardize="samples")
    np.testing.assert_allclose(read.X.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(read.X.std(axis=1), 1)


def test_a_series_matrix_in_a_compressed_file_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "GSE1_series_matrix.txt.gz"
    file.write_bytes(gzip.compress(MATRIX.encode()))
    read = load_geo(file, standardize=None)
    assert (read.X.tolist(), read.names.tolist(), read.title) == ([[1.5], [2.0]], ["p1"], "A series")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello\n", "holds no table"),
        (SOFT.replace("!dataset_table_end\n", ""), "ends in the middle"),
        (SOFT.replace("p3\tMID2\t-1.0", "p3\tMID2"), "the line of p3 has 4 cells, not 5"),
        (SOFT.replace("2.0", "two"), "no number"),
        (
            SOFT.replace("1.0", "1").replace("\t1", "\tnull").replace("1\n", "null\n").replace("7.0", "null"),
            "every gene has a missing value",
        ),
    ],
)
def test_a_file_that_is_broken_is_refused_with_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "broken.soft"
    file.write_text(text)
    with pytest.raises(ValueError, match=sentence):
        load_geo(file)


def test_a_compressed_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cut.soft.gz"
    file.write_bytes(gzip.compress(SOFT.encode())[:-20])
    with pytest.raises(ValueError, match="download it anew"):
        load_geo(file)


def test_what_is_neither_a_file_nor_an_accession_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match="no accession such as GDS2910"):
        load_geo("nowhere.soft")
    with pytest.raises(TypeError, match="not a int"):
        load_geo(2910)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="standardize='rows'"):
        load_geo("GDS1", standardize="rows")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("accession", "address"),
    [
        ("GDS2910", "datasets/GDS2nnn/GDS2910/soft/GDS2910.soft.gz"),
        ("gds35", "datasets/GDSnnn/GDS35/soft/GDS35.soft.gz"),
        ("GSE12345", "series/GSE12nnn/GSE12345/matrix/GSE12345_series_matrix.txt.gz"),
    ],
)
def test_an_accession_is_downloaded_once_from_its_folder(tmp_path, monkeypatch, accession, address) -> None:
    asked = []

    def answer(url: str, timeout: float):
        asked.append(url)
        file = tmp_path / "answer"
        file.write_bytes(gzip.compress(SOFT.encode()))
        return file.open("rb")

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    first = load_geo(accession, cache=tmp_path / "cache")
    again = load_geo(accession, cache=tmp_path / "cache")
    assert [url.removeprefix("https://ftp.ncbi.nlm.nih.gov/geo/") for url in asked] == [address]
    np.testing.assert_array_equal(first.X, again.X)


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (urllib.error.URLError("no route"), ConnectionError, "cannot be reached .* give load_geo its path"),
        (urllib.error.HTTPError("", 404, "", None, None), ValueError, "check the accession"),  # pyright: ignore
    ],
)
def test_without_a_network_it_says_what_to_do_and_leaves_nothing_behind(
    tmp_path, monkeypatch, error, kind, sentence
) -> None:
    def refuse(url: str, timeout: float):
        raise error

    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    with pytest.raises(kind, match=sentence):
        load_geo("GDS2910", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_real_data_sets_are_read_whole(data: Path) -> None:
    stress = load_geo(data / "geo" / "GDS3035.soft.gz", standardize=None)
    assert stress.X.shape[0] == 48
    assert stress.names[stress.identifiers.tolist().index("10001_at")] == "MID2"
    assert stress.X[0, stress.identifiers.tolist().index("10001_at")] == 6.54549
    assert set(stress.groups) >= {"control", "cumene hydroperoxide"}
