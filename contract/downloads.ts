/** Downloads of many entries at once: an addition of ours. */
import { Type } from 'typebox'
import { limits } from './limits.ts'
import { Hash, Id } from './shapes.ts'

/** Entries, each in the version that is wanted; the answer is in the order of the request. `url` answers the bytes for a while. */
export const manyDownloads = {
  input: Type.Object({
    entries: Type.Array(Type.Object({ entry_id: Id, object_id: Id }), { minItems: 1, maxItems: limits.bulk }),
  }),
  output: Type.Object({
    files: Type.Array(Type.Object({ entry_id: Id, object_id: Id, content_hash: Hash, url: Type.String() })),
  }),
}
