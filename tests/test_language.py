"""Which language a text is in, and where a text mixes several."""

import pytest

from dr_rd.evaluation.sentences import sentences
from dr_rd.language import UNKNOWN, alphabets, foreign, language, languages

SAID = {
    "english": "The plan compares two sites and measures what each of them loses over the winter.",
    "german": "Der Plan vergleicht zwei Standorte und misst, was jeder von ihnen im Winter verliert.",
    "french": "Le plan compare les deux sites et mesure ce que chacun perd pendant l'hiver.",
    "spanish": "El plan compara los dos sitios y mide lo que cada uno pierde durante el invierno.",
    "italian": "Il piano confronta i due siti e misura ciò che ognuno di essi perde durante l'inverno.",
    "portuguese": "O plano compara os dois locais e mede o que cada um deles perde durante o inverno.",
    "dutch": "Het plan vergelijkt de twee locaties en meet wat elk van hen in de winter verliest.",
    "swedish": "Planen jämför de två platserna och mäter vad var och en av dem förlorar under vintern.",
    "russian": "План сравнивает два участка и измеряет, что каждый из них теряет за зиму.",
    "japanese": "この計画は二つの地点を比較し、冬の間の損失を測定する。",
    "chinese": "该计划比较两个地点，并测量每个地点在冬季的损失。",
    "korean": "이 계획은 두 지점을 비교하고 겨울 동안의 손실을 측정한다.",
    "greek": "Το σχέδιο συγκρίνει δύο τοποθεσίες και μετρά τι χάνει η καθεμία τον χειμώνα.",
    "arabic": "تقارن الخطة بين موقعين وتقيس ما يفقده كل منهما خلال الشتاء.",
}


@pytest.mark.parametrize("name", SAID)
def test_a_sentence_tells_its_language(name):
    assert language(SAID[name]) == name


@pytest.mark.parametrize("text", ["", "42 %", "NASICON, PVDF-HFP", "Cure cancer", "et al. (2021)"])
def test_what_tells_no_language_is_unknown(text):
    assert language(text) == UNKNOWN


@pytest.mark.parametrize("name", [n for n in SAID if n != "english"])
def test_names_and_units_of_another_language_do_not_turn_a_sentence(name):
    assert language(f"{SAID[name]} (Random Forest, World Health Organization, 5 mg/L)") == name


@pytest.mark.parametrize("name", ["german", "french", "dutch", "russian", "chinese"])
def test_a_mixed_text_shows_by_its_sentences(name):
    mixed = f"{SAID['english']} {SAID[name]} {SAID['english']}"
    assert {language(s.text) for s in sentences(mixed)} >= {"english", name}


def test_a_stray_letter_of_another_alphabet_is_seen_and_notation_is_not():
    assert alphabets("home-監 monitoring") == {"chinese"}
    assert not alphabets("β-carotene at 5 µm, naïve Größe")


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [("english", "english", ""), ("german", "english", "german"), ("german", UNKNOWN, "")],
)
def test_only_what_is_surely_in_another_language_is_foreign(text, wanted, found):
    assert foreign(SAID[text], wanted) == found


def test_every_language_that_is_told_by_words_has_its_common_words():
    known = languages()
    assert known.common.keys() == known.telling.keys()
    assert {*known.letters, *known.numbers} <= known.common.keys()
