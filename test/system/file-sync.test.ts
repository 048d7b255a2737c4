/** Files that are put on the disk at once, and what holds after that has failed. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FileSync } from '../../system/file-sync.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test.runIf(process.platform === 'linux')(
  'one call does for all of them; once it has failed, each is synced by itself from then on, also where it would work again',
  async () => {
    const dir = temporaryFolder()
    const [file, missing] = [join(dir, 'one'), join(dir, 'missing')]
    writeFileSync(file, 'one')
    // A call for the whole disk does not look at the files.
    await new FileSync(dir).settle([missing])
    const gone = join(dir, 'gone')
    const files = new FileSync(gone)
    await files.settle([file])
    mkdirSync(gone)
    await expect(files.settle([file, missing])).rejects.toMatchObject({ code: 'ENOENT' })
  },
)
