// Finds props that look like a picture: node picture-search.js barrel.png. Textures, meshes and packages will do, too.
import { resolve } from 'node:path'
import { bodyOf, openLibrary } from '@prop-house/client'
import { ApiError } from '@prop-house/client/errors'
import { searchPicture } from '@prop-house/client/pictures'

const [file = 'barrel.png'] = process.argv.slice(2)
const library = await openLibrary()
try {
  const { bytes, contentType } = await searchPicture(resolve(file))
  const { entries } = await library.api.entries.searchByImage({ bytes: bodyOf(bytes), contentType, limit: 10 })
  for (const { id, name, score = 0 } of entries) console.log(`${Math.round(score * 100)} %  ${name} (${id})`)
} catch (error) {
  if (!(error instanceof ApiError && error.code === 'EMBEDDINGS_UNAVAILABLE')) throw error
  console.error('This library does not compare pictures now.')
  process.exitCode = 1
} finally {
  await library.close()
}
