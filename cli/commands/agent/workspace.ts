/** The workspace that the running agent works for, and the one that a command names: they are not mixed up. */

import { ClientError } from '../../../client/client-error.ts'
import { type FoundAgent, findAgent, requireAgent } from '../../../client/desktop/agent.ts'
import { findAddress, findProfileFor, readProfiles } from '../../../client/sign-in/profile.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { connectionChoice, foldersOf, requireConnection } from '../../connection.ts'
import type { Context } from '../../context.ts'

/** Throws ClientError `NO_AGENT`; `OTHER_WORKSPACE` where the command names another one than the agent's. */
export async function askAgent(context: Context): Promise<FoundAgent> {
  const found = await requireAgent(foldersOf(context))
  await refuseOther(context, found)
  return found
}

/** The same, for who can do without. */
export async function askAgentIfThere(context: Context): Promise<FoundAgent | undefined> {
  const found = await findAgent(foldersOf(context))
  if (found) await refuseOther(context, found)
  return found
}

async function refuseOther(context: Context, { presence: { server } }: FoundAgent): Promise<void> {
  const { profile, url } = context.globals
  if (profile === undefined && url === undefined) return
  const named = await findAddress(foldersOf(context), connectionChoice(context))
  if (named === server) return
  const choice = profile === undefined ? `--url ${shellWord(named)}` : `--profile ${shellWord(profile)}`
  throw new ClientError('OTHER_WORKSPACE', `The desktop agent works for ${server}, not for ${named}.`, {
    next: `To have it work for that one: \`ph agent restart ${choice}\`. A second one runs beside it with a PH_STATE_DIR of its own.`,
  })
}

/** The address that other commands use now, where it is not the agent's. */
export async function elsewhere(context: Context, { presence: { server } }: FoundAgent): Promise<string | undefined> {
  const used = await findAddress(foldersOf(context), connectionChoice(context)).catch(() => undefined)
  return used === server ? undefined : used
}

/** What `ph agent run` is told, so that it stays with its workspace whatever is signed in to later. Throws as `requireConnection`. */
export async function workspaceArgs(context: Context): Promise<string[]> {
  const { url, keySource, profileName } = await requireConnection(context)
  return keySource === 'environment' || profileName === undefined ? ['--url', url] : ['--profile', profileName]
}

/** With the workspace of the agent that runs, unless another one is named. */
export async function stayingWith(context: Context, found: FoundAgent | undefined): Promise<Context> {
  const { globals } = context
  if (!found || globals.profile !== undefined || globals.url !== undefined) return context
  const { server } = found.presence
  const own = findProfileFor(await readProfiles(foldersOf(context)), { url: server })
  return { ...context, globals: own ? { ...globals, profile: own.name } : { ...globals, url: server } }
}
