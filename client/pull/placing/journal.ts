/**
 * The journal of a placement: what became of each file so far, one letter for each, in the folder where the files were staged. It is there
 * as long as that folder is, so it tells of these very files; a run that is killed leaves it to the next one (recovery.ts).
 */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../../client-error.ts'

const letters = { placed: 'p', changed: 'c', failed: 'f' } as const
/** A file is being written in its place, piece by piece. */
const begun = 'b'
const blank = ' '

export class PlaceJournal {
  readonly #fd: number

  /** Takes its room on the disk at once. Throws what the system says, and then there is none. */
  constructor(folder: string, name: string, files: number) {
    const path = join(folder, name)
    this.#fd = openSync(path, 'wx')
    try {
      writeSync(this.#fd, blank.repeat(files))
    } catch (error) {
      this.close()
      rmSync(path, { force: true })
      throw error
    }
  }

  begin(index: number): void {
    this.#write(begun, index)
  }

  end(index: number, result: keyof typeof letters): void {
    this.#write(letters[result], index)
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** What cannot be written is a proof less, and no reason to stop half-way. */
  #write(letter: string, index: number): void {
    try {
      writeSync(this.#fd, letter, index, 'latin1')
    } catch (error) {
      if (systemCode(error) === undefined) throw error
    }
  }
}

/** What a journal says of the file with that index in its order. */
export interface JournalEntry {
  /** `working`: it was the next one, and what became of it is not said. */
  state: 'placed' | 'other' | 'working' | 'waiting'
  /** Of `working`: it was being written in its place. */
  isBegun: boolean
}

/** Undefined where there is none. */
export function readJournal(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'latin1')
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error
    return undefined
  }
}

export function journalEntry(journal: string, index: number): JournalEntry {
  const letter = journal[index]
  if (letter === letters.placed) return { state: 'placed', isBegun: false }
  if (letter === letters.changed || letter === letters.failed) return { state: 'other', isBegun: false }
  const isNext = journal.search(/[^pcf]/) === index
  return { state: isNext ? 'working' : 'waiting', isBegun: isNext && letter === begun }
}
