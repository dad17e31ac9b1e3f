"""Tables as text, Markdown and HTML."""

from ludens.formats.tables import html_table, markdown_table, text_table

ROWS = [["game", "moves", "share"], ["gomoku", "7", "1.5 %"], ["a<b", "1,200", "-"]]


def test_words_stand_left_and_numbers_right() -> None:
    assert text_table(ROWS) == (
        "game    moves  share\ngomoku      7  1.5 %\na<b     1,200      -"
    )


def test_a_last_column_of_words_is_folded_to_the_width() -> None:
    words = "one two three four five six seven eight nine ten"
    table = text_table([["name", "words"], ["x", words]], num_words=2, width=30)
    head, *lines = table.split("\n")
    assert head == "name  words"
    assert max(map(len, lines)) <= 30
    assert lines[0].startswith("x     one two ")
    assert all(line.startswith("      ") for line in lines[1:])
    assert " ".join(line[6:] for line in lines) == words


def test_numbers_are_never_folded() -> None:
    assert text_table(ROWS, num_words=1, width=10) == text_table(ROWS)


def test_markdown_has_a_rule_below_its_header() -> None:
    head, rule, *body = markdown_table(ROWS).splitlines()
    assert head == "| game | moves | share |"
    assert rule == "| --- | --- | --- |"
    assert len(body) == 2


def test_html_is_escaped_and_tells_numbers() -> None:
    page = html_table(ROWS, num_words=1)
    assert page.count("<th>") == 3
    assert "<td>a&lt;b</td>" in page
    assert '<td class="number">1,200</td>' in page
