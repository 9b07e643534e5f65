"""The models of a run: found once when it begins, asked by purpose until it ends."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.clock import Clock
from core.requests import Calls, Send
from core.settings import ModelUse, Served
from dr_rd.models.address import endpoint_of
from dr_rd.models.chat.send import chat_send
from dr_rd.models.privacy.masking import Mask
from dr_rd.models.served.endpoint import Endpoint, Purpose
from dr_rd.models.served.probe import find_window, strongest_reply_format
from dr_rd.models.typed.ask import Model
from dr_rd.models.window import Window


@dataclass(frozen=True, slots=True)
class RunModels:
    """The models of one run, by what they are asked for."""

    calls: Calls
    served: Served

    def does(self, purpose: Purpose, role: str = "") -> bool:
        """Whether a model does *purpose* in this run, for a task of *role* if it is one."""
        return purpose in self.served.models or role in self.served.roles

    def model(self, purpose: Purpose, role: str = "") -> Model:
        """Return the model that does *purpose*, for a task of *role* if it is one."""
        use = self._use(purpose, role)
        return Model(self.calls, endpoint_of(self.served.base_url), use.name, use.form)

    def window(self, purpose: Purpose, role: str = "") -> Window:
        """Return how much that model reads and writes at once."""
        return Window.model_validate(self._use(purpose, role).window)

    def _use(self, purpose: Purpose, role: str) -> ModelUse:
        return self.served.roles.get(role) or self.served.models[purpose]


async def find_served(
    endpoint: Endpoint, clock: Clock, mask: Mask | None = None, *, local_only: bool = False
) -> Served:
    """Ask each model of *endpoint* what it can do, before a run is made for it.

    The run will hide what *mask* hides, and with *local_only* ask nobody but this machine. Raises
    CallerError if one of the models does not answer: wrong address, key or name.
    """
    key = endpoint.key.get_secret_value()
    async with chat_send(endpoint.base_url, key, clock=clock) as send:
        found = {name: await _used(send, endpoint, name) for name in endpoint.names}
    models: Mapping[str, ModelUse] = {p: found[endpoint.model_for(p)] for p in endpoint.purposes}
    roles = {role: found[name] for role, name in endpoint.roles.items()}
    salt, marks = mask.sealed() if mask else ("", ())
    return Served(
        base_url=endpoint.base_url,
        models=models,
        roles=roles,
        mask=mask.place if mask else None,
        masked=mask.count if mask else 0,
        salt=salt,
        marks=marks,
        local_only=local_only,
    )


async def _used(send: Send, endpoint: Endpoint, name: str) -> ModelUse:
    form = await strongest_reply_format(send, endpoint, name)
    window = await find_window(send, endpoint, name)
    return ModelUse(name=name, form=form, window=window.model_dump(mode="json"))
