/** Blobs: the bytes of versions, named by their SHA-256 (spec 4.9 and 4.13; contract-gaps 4). */
import { Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { Count, Hash, Timestamp } from './shapes.ts'

export const blobs = routes({
  put: {
    method: 'PUT',
    path: '/blobs/{content_hash}',
    scope: 'write',
    effect: 'adds',
    summary: 'Upload the bytes of one file; the hash is checked while they stream in.',
    input: Type.Object({ content_hash: Hash }),
    raw: { maxBytes: limits.blobBytes },
    output: Type.Object({ hash: Hash, size: Count, created: Type.Boolean() }),
    created: 'created',
    budget: 'push',
    errors: ['HASH_MISMATCH', 'DENYLISTED', 'VALIDATION'],
  },
  get: {
    method: 'GET',
    path: '/blobs/{content_hash}',
    scope: 'read',
    summary: 'Redirect to the bytes of one file.',
    input: Type.Object({ content_hash: Hash }),
    answers: 'redirect',
    budget: 'push',
    errors: ['BLOB_MISSING'],
  },
  url: {
    method: 'GET',
    path: '/blobs/{content_hash}/url',
    scope: 'read',
    summary: 'Give a short-lived address of the bytes of one file.',
    input: Type.Object({ content_hash: Hash }),
    output: Type.Object({ url: Type.String(), expires_at: Timestamp }),
    budget: 'push',
    errors: ['BLOB_MISSING'],
  },
})
