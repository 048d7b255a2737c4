/** Editors that announce themselves, and say what they open. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../../contract/errors.ts'
import type { Agent } from '../agent.ts'
import { openingWords, standingOf } from '../watching/why.ts'
import { placeAt, questionOf } from './file-routes.ts'
import type { AgentHandlers } from './handler.ts'

/** An editor that opens an asset does not wait longer. */
const answerMs = 5000

export const agentEditors: AgentHandlers<'agentEditors'> = {
  announce({ agent: { projects, events, wire, reach }, input }) {
    const { session_id, project_key, root, accepts_imports } = input
    const since = events.last
    const editor = projects.announce(
      {
        session_id,
        project_key,
        root,
        accepts_imports,
        engine_version: input.engine_version ?? null,
        plugin_version: input.plugin_version ?? null,
        default_root: input.default_root ?? null,
        open: input.open,
      },
      new Date(),
    )
    return { editor, server: wire.url, person: reach.person, desktop_agent: 'live', since }
  },
  leave({ agent: { projects }, input: { session_id } }) {
    projects.leave(session_id)
    return undefined
  },
  async opened({ agent, input: { session_id, package: name } }) {
    const { editors } = agent.projects
    const editor = editors.get(session_id)
    if (!editor) throw new ApiError('NOT_FOUND', `No editor ${session_id} has announced itself. Announce it first.`)
    editors.opened(session_id, name)
    const path = await fileOfPackage(agent, editor.root, name)
    if (path === undefined) return { file: null, warnings: [], suggestion: null }
    const question = questionOf(agent, placeAt(agent, path), AbortSignal.timeout(answerMs))
    const standing = await standingOf(question).catch(() => undefined)
    if (!standing) return { file: null, warnings: [], suggestion: null }
    return { file: standing.file, ...openingWords(standing, question) }
  },
}

/** `/Game/Props/SM_Barrel`, also with the object’s name behind a dot. Undefined where no file of the project is it. */
async function fileOfPackage(agent: Agent, root: string, given: string): Promise<string | undefined> {
  const name = given.replace(/\.[^./]*$/, '')
  const [, below] = /^\/Game\/(.+)$/i.exec(name) ?? []
  const inContent =
    below === undefined || below.split('/').includes('..') ? [] : [`Content/${below}.uasset`, `Content/${below}.umap`]
  const found = inContent.find((file) => existsSync(join(root, file))) ?? (await agent.watching.looks(root).fileOfPackage(name))
  return found === undefined ? undefined : join(root, found)
}
