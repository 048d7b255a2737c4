/** What a check-in pushes of what was named. */
import { join } from 'node:path'
import { ClientError } from '../client-error.ts'
import type { NamedProps } from './named-props.ts'

export interface FilesToPush {
  root: string
  /** Absolute. */
  paths: string[]
}

/** Throws ClientError `NOTHING_TO_PUSH` for props that have no file here. */
export function filesToPush({ root, paths, props }: NamedProps): FilesToPush {
  const absent = props.filter(({ files }) => files.every(({ state }) => state === 'missing'))
  const files = props.flatMap(({ files }) =>
    files.flatMap(({ file, state }) => (state === 'missing' ? [] : join(root ?? '', file))),
  )
  const names = absent.map(({ name }) => name).join(', ')
  if (root !== null && absent.length === 0 && paths.length + files.length > 0)
    return {
      root,
      paths: paths.length > 0 && files.every((file) => paths.includes(file)) ? paths : [...new Set([...paths, ...files])],
    }
  throw new ClientError(
    'NOTHING_TO_PUSH',
    `There is no file of ${names || 'what was named'} in the project here. Nothing was pushed.`,
    {
      next: 'Go into the project that has it, or give it back without a push: `ph release <props>`.',
    },
  )
}
