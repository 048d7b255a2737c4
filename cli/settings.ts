/** What a person set once, taken into account before a command runs: it stands in for variables that the environment lacks. */
import { findFolders } from '../client/folders.ts'
import { applySettings, type Misfit } from '../client/settings/effective.ts'
import { settingsFile } from '../client/settings/kept.ts'
import { printable } from '../system/printable.ts'
import type { Command } from './command.ts'
import { wordsOf } from './command-words.ts'
import type { Surroundings } from './context.ts'
import { wrongUsage } from './refusal.ts'

/** Throws a Refusal for a value that its setting does not take, but to the commands that can change it. */
export function withSettings(surroundings: Surroundings, command: Pick<Command, 'usage'>): Surroundings {
  const path = settingsFile(findFolders(surroundings.env))
  const { env, fromFile, misfits } = applySettings(path, surroundings.env)
  const [misfit] = misfits
  if (misfit && !wordsOf(command).startsWith('config ')) throw misfitRefusal(misfit, path)
  return fromFile.size === 0 ? surroundings : { ...surroundings, env, fromSettings: fromFile }
}

const misfitRefusal = ({ setting: { name, takes }, given }: Misfit, path: string) =>
  wrongUsage(
    `${path} sets ${name} to ${printable(JSON.stringify(given)).slice(0, 200)}; it takes ${takes}.`,
    `Set it anew with \`ph config set ${name} <value>\`, or take it away with \`ph config unset ${name}\`.`,
  )
