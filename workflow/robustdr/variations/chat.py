"""Requests to a server with OpenAI's chat completions."""

from typing import Any

from robustdr.core.client import Client, GarbledError


class Chat(Client):
    """A language model on a server, asked with a sampling temperature; for the other arguments see `Client`."""

    def __init__(self, url: str, model: str, temperature: float, key: str, attempts: int, timeout: float):
        super().__init__(url, model, key, attempts, timeout)
        self._temperature = temperature

    def ask(self, prompt: str) -> str:
        """The answer; empty if the server sends no chat completion.

        Raises:
            UserError, UnansweredError: see `Client.request`.
        """
        messages: Any = [{"role": "user", "content": prompt}]
        try:
            return self.request(
                lambda client: (
                    client.chat.completions.create(model=self.model, messages=messages, temperature=self._temperature)
                    .choices[0]
                    .message.content
                    or ""
                )
            )
        except GarbledError:
            return ""
