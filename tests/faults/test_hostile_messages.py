"""Made-up messages and floods are borne by the page's server."""

import pytest

from faults import hostile_messages


def test_made_up_messages_get_a_line_and_others_are_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hostile_messages, "FLOOD", 300)
    assert hostile_messages.run(60, seed=1).failures == []


def test_a_message_that_the_server_stumbles_over_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stumble(text: str) -> None:
        raise RecursionError

    monkeypatch.setattr(hostile_messages, "FLOOD", 1)
    monkeypatch.setattr(hostile_messages, "PATIENCE_S", 0.5)
    monkeypatch.setattr("ludens.web.answers.Answers.knows", lambda *_: 1 / 0)
    monkeypatch.setattr("ludens.web.messages.id_of", stumble)
    assert hostile_messages.run(2, seed=1).failures
