/** How the files of a prop here stand to its newest version: what `ph status` says of them (status/report.ts), for someone who is about to edit. */
import type { StatusFile } from '../status/report.ts'
import type { NamedProp } from './named-props.ts'

/**
 * How the file here stands to the current version. `newest`: it is that one. `changed`: an edit of it. `behind`: an older version, or
 * gone from the disk. `diverged`: an edit of an older version. `unsure`: nothing says what it was made from. `absent`: none is here.
 */
export type Standing = 'newest' | 'changed' | 'behind' | 'diverged' | 'unsure' | 'absent'

const worstFirst: readonly Standing[] = ['diverged', 'unsure', 'behind', 'changed', 'newest', 'absent']

/** Of several files of a prop the one that needs most attention counts. `face`: the content hash of the current version, where it is known better. */
export function standingOf({ files }: Pick<NamedProp, 'files'>, face?: string): Standing {
  const standings = new Set(files.map((file) => standingOfFile(file, face)))
  return worstFirst.find((standing) => standings.has(standing)) ?? 'absent'
}

function standingOfFile({ state, content_hash, face_content_hash }: StatusFile, face: string | undefined): Standing {
  const isOvertaken = face !== undefined && face !== face_content_hash && face !== content_hash
  switch (state) {
    case 'identical':
      return isOvertaken ? 'behind' : 'newest'
    case 'changed':
      return isOvertaken ? 'diverged' : 'changed'
    case 'both':
      return 'diverged'
    case 'unknown':
      return 'unsure'
    case 'deleted':
      return content_hash === (face ?? face_content_hash) ? 'newest' : 'unsure'
    default:
      return 'behind'
  }
}
