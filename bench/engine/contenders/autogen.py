"""AutoGen: an assistant for each task, all with one model client."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

from bench.engine.clients import KEY, TIMEOUT_S, Setting
from bench.engine.contenders import Solve
from bench.engine.contenders.bare import few_at_once
from bench.engine.work import Task


@asynccontextmanager
async def assistant(setting: Setting) -> AsyncIterator[Solve]:
    """Nothing durable."""
    logging.disable(logging.WARNING)
    client = OpenAIChatCompletionClient(
        model="gpt-4o", base_url=setting.url, api_key=KEY, max_retries=0, timeout=TIMEOUT_S
    )

    async def ask(task: Task) -> str:
        agent = AssistantAgent(task.name, client, system_message="You are a researcher.")
        return str((await agent.run(task=task.prompt)).messages[-1].to_text())

    try:
        yield few_at_once(ask, setting.slots)
    finally:
        await client.close()
