"""`MessageWidget`: runs the work of front-end messages in threads and sends the answers."""

from __future__ import annotations

import asyncio
import warnings
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import Event
from typing import Any

import anywidget
import traitlets

from imd_widget._base.checkpoint import checking
from imd_widget._base.encodable import encodable
from imd_widget._base.plain import to_json
from imd_widget.views.schema import Progress, ProgressView, Request
from imd_widget.widget.handlers import Cancelled, Job

# tqdm ignores this warning of its own while it is imported, but a thread that leaves a context of
# warnings just then undoes that, and the warning would appear in the user's cell.
warnings.filterwarnings("ignore", message="Using `tqdm.autonotebook.tqdm` in notebook mode")


class MessageWidget(anywidget.AnyWidget):
    """A widget that answers each message with the result of `_job_of`, or with an error."""

    def __init__(self, **traits: Any) -> None:
        self._tasks: dict[Any, asyncio.Task[None]] = {}
        #: Set when a message is cancelled; the threads that work on it hold them too.
        self._stops: dict[Any, Event] = {}
        super().__init__(**traits)
        self.on_msg(self._answer)

    def _job_of(self, message: Mapping[str, Any]) -> Job[Any]:
        """Return the work of a message and how it ends."""
        raise NotImplementedError

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Set the traits that the front-end sent; send back the value of each rejected trait.

        A click on a rule may arrive after the diff of that rule has been replaced.
        """
        try:
            super().set_state(sync_data)
        except traitlets.TraitError:
            # traitlets rolled every trait back: set each on its own, which keeps the valid ones
            rejected = [name for name, value in sync_data.items() if self._rejects(name, value)]
            self.send_state(rejected)

    def _rejects(self, name: str, value: Any) -> bool:
        """Set one trait; return whether its validation failed."""
        try:
            super().set_state({name: value})
        except traitlets.TraitError:
            return True
        return False

    def _reporter(self, request: Request, total: int) -> Callable[[int], None]:
        """Return a function that reports the progress of a request, from any thread."""
        message_id = request.id
        stop = self._stops.get(message_id)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None

        def after_each(done: int) -> None:
            if stop is not None and stop.is_set():
                raise Cancelled
            report = {"id": message_id, **to_json(Progress(ProgressView(done, total)))}
            if loop is not None:
                loop.call_soon_threadsafe(self.send, report)

        return after_each

    def _answer(self, _: Any, message: Any, buffers: Any) -> None:
        """Run the handler of a message and send its answer, or an error."""
        del buffers
        if message.get("kind") == "cancel":
            self._cancel(message.get("of"))
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # without an event loop, blocking this thread delays no other message
            loop = None
        if loop is None or message.get("kind") == "hello":
            self._answer_now(message)
            return
        # in a thread: the kernel's event loop must stay free to receive messages such as "cancel"
        message_id = message.get("id")
        self._stops[message_id] = Event()
        self._tasks[message_id] = loop.create_task(self._answer_later(loop, message))
        self._tasks[message_id].add_done_callback(lambda _: self._forget(message_id))

    def _forget(self, message_id: Any) -> None:
        self._tasks.pop(message_id, None)
        self._stops.pop(message_id, None)

    def _cancel(self, message_id: Any) -> None:
        """Cancel the task of a message if it is still running: its result is not shown."""
        task = self._tasks.get(message_id)
        if task is not None and task.cancel():
            self._stops[message_id].set()  # work in parts ends after the present one
            self.send({"id": message_id, "error": "Cancelled; nothing changed."})

    def _answer_now(self, message: dict[str, Any]) -> None:
        with self._answering(message) as answer:
            work, finish = self._job_of(message)
            answer |= to_json(finish(work()))

    async def _answer_later(self, loop: AbstractEventLoop, message: dict[str, Any]) -> None:
        with self._answering(message) as answer:
            work, finish = self._job_of(message)
            stoppable = partial(_stoppable, self._stops[message.get("id")], work)
            answer |= to_json(finish(await loop.run_in_executor(None, stoppable)))

    @contextmanager
    def _answering(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield an answer to fill in, then send it; an exception inside becomes its error."""
        answer: dict[str, Any] = {"id": message.get("id")}
        try:
            yield answer
        except Exception as error:  # the front-end must show every failure
            answer["error"] = str(error) or type(error).__name__
        except KeyboardInterrupt:
            answer["error"] = "Interrupted; nothing changed."
        self.send(encodable(answer))


def _stoppable(stop: Event, work: Callable[[], Any]) -> Any:
    """Do the work of a message; it ends at the next checkpoint after ``stop`` is set."""

    def check() -> None:
        if stop.is_set():
            raise Cancelled

    with checking(check):
        return work()
