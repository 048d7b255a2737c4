/** The files of the library, as operators list them, read them and write down what a check found. */
import type { Operator } from '../../../contract/operator.ts'
import type { Handlers } from '../../handler.ts'
import { selectUpgrade } from '../../rows/upgrade/references.ts'
import { countNamedFiles, selectNamedFiles } from '../../storage/named-files.ts'
import { presignedUntil } from '../../storage/storage.ts'
import { findExecutables } from './executables.ts'
import { judge, nameDamaged } from './judge.ts'
import { findBrokenReferences } from './references.ts'

export const file: Handlers<Operator['file']> = {
  async list({ sql, input }) {
    const { files, next } = await selectNamedFiles(sql, { after: input.after, onlyInUse: true })
    const rows = files.map(({ key, size, sha256, madeAt, isDamaged }) => ({
      key,
      size,
      sha256,
      made_at: madeAt,
      damaged: isDamaged,
    }))
    return { files: rows, next: next ?? null }
  },

  async count({ database, settings }) {
    return { place: placeOf(settings), ...(await countNamedFiles(database.longSql)) }
  },

  async addresses({ now, files, input }) {
    const storage = await files()
    const as = { contentType: 'application/octet-stream', expiresAt: presignedUntil(now), origin: '' }
    return { urls: await Promise.all(input.keys.map((key) => storage.downloadUrl(key, as))) }
  },

  name: ({ sql, input }) => nameDamaged(sql, input.damaged),

  judge: (request) => judge(request, request.input),

  references: async ({ database: { longSql } }) => ({
    ...(await findBrokenReferences(longSql)),
    upgrade: await selectUpgrade(longSql),
  }),

  executables: ({ database }) => findExecutables(database.longSql),
}

export const placeOf = ({ storageUrl }: { storageUrl: string | undefined }): 'folder' | 'bucket' =>
  storageUrl === undefined ? 'folder' : 'bucket'
