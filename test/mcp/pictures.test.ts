/** Pictures for assistants: links to thumbnails, thumbnails on request, and searching by a picture, on both ways in. */
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { call, started, waysIn } from '../support/assistants.ts'
import { lookedAt, lookingServer, pictureOf, putThumbnail } from '../support/looking-server.ts'
import { item, pushed } from '../support/push.ts'

let library: Awaited<ReturnType<typeof lookedAt>>
let bare: number
let broken: number

beforeAll(async () => {
  const server = await lookingServer()
  library = await lookedAt(server, [0, 1, 2, 4, 8, 16], (number) => ({ entry: { name: `Barrel <b>${number}</b>` } }))
  const [one, two] = (await pushed(library.mia, [
    item({ entry: { name: 'Bare' } }),
    item({ entry: { name: 'Large' } }),
  ])) as Json[]
  bare = one.entry_id
  broken = two.entry_id
  await putThumbnail(library.mia, two, await pictureOf(3, 512))
})

const linkOf = (id: number) => ({ type: 'resource_link', uri: `ph://entry/${id}/thumbnail`, title: `Thumbnail of entry ${id}` })

test.each(waysIn)(
  'on %s what is shown comes with links to its thumbnails, which carry nothing that people wrote',
  async (_, way) => {
    const client = await way({ workspace: library })
    const [first = 0] = library.ids
    const { content } = await call(client, 'look', { entry_id: first })
    expect(content.slice(1)).toMatchObject([linkOf(first)])
    const found = await call(client, 'search', { q: 'barrel', limit: 2 })
    expect(found.content.slice(1)).toHaveLength(2)
    expect(JSON.stringify(found.content.slice(1))).not.toContain('<b>')
    expect((await call(client, 'look', { entry_id: bare })).content).toHaveLength(1)
  },
)

test.each(waysIn)('on %s a picture that is asked for comes as an image of at most 256 pixels', async (_, way) => {
  const client = await way({ workspace: library })
  const { content, structuredContent } = await call(client, 'look', { entry_id: broken, picture: true })
  expect(content.slice(1)).toMatchObject([{ text: `Entry ${broken}:` }, { type: 'image', mimeType: 'image/png' }])
  const { format, width, height } = await sharp(Buffer.from(content[2].data, 'base64')).metadata()
  expect({ format, width, height }).toEqual({ format: 'png', width: 256, height: 256 })
  expect(structuredContent.entry.id).toBe(broken)
  const { content: several } = await call(client, 'search', { q: 'barrel', picture: true, limit: 3 })
  expect(several.filter(({ type }: Json) => type === 'image')).toHaveLength(3)
  expect(await call(client, 'look', { entry_id: bare, picture: 'yes' })).toMatchObject({ isError: true })
})

test.each(waysIn)('on %s props are found that look like a prop, or like a picture that is sent', async (_, way) => {
  const client = await way({ workspace: library })
  const [first, second, third] = library.ids
  const alike = await call(client, 'search', { similar_to: first, limit: 2, detail: 'ids' })
  expect(alike.structuredContent.entries.map(({ id }: Json) => id)).toEqual([second, third])
  const image_base64 = (await pictureOf(0)).toString('base64')
  const { structuredContent: byPicture } = await call(client, 'search', { image_base64, type: ['mesh'], limit: 2 })
  expect(byPicture.entries.map(({ id }: Json) => id)).toEqual([first, second])
  expect(byPicture).toMatchObject({ total: 6, next_cursor: null, entries: [{ score: expect.any(Number) }, {}] })
  for (const [wrong, path] of [
    [{ image_base64: 'YWJj' }, 'image_base64'],
    [{ image_base64, similar_to: first }, 'similar_to'],
    [{ image_base64, cursor: 'x' }, 'cursor'],
  ] as const)
    expect(await call(client, 'search', wrong)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(new RegExp(`^VALIDATION: ${path}`)) }, {}],
    })
})

test('on stdin and stdout a picture of several megabytes is searched by, and the next call is answered', async () => {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 }
  const create = { width: 1500, height: 1500, channels: 3 as const, background: 'black', noise }
  const image_base64 = (await sharp({ create }).png().toBuffer()).toString('base64')
  expect(image_base64.length).toBeGreaterThan(5_000_000)
  const client = await started({ workspace: library })
  expect((await call(client, 'search', { image_base64, limit: 2 })).structuredContent.entries).toHaveLength(2)
  expect((await call(client, 'search', { q: 'barrel', limit: 2 })).structuredContent.entries).toHaveLength(2)
})
