/** Pictures of props as ph show and ph diff draw them: from previews, alike on both sides, and without the server's help the second time. */
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { callAs } from '../../support/api.ts'
import { pngOf, wavOf } from '../../support/media.ts'
import { type Person, personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { type Decoded, kittyCommands, kittyPixels } from '../../support/terminal-pictures.ts'
import { twoSidedGlb } from '../../support/two-sided-mesh.ts'
import { picture } from '../../support/unreal-project.ts'

const server = await startTestServer()

const kitty = { columns: 120, env: { PH_PICTURES: 'kitty', PH_PICTURES_WAIT: '600', NO_COLOR: '' } }

const contentTypes = { glb: 'model/gltf-binary', image: 'image/png', audio: 'audio/wav' }

async function library() {
  const { url, keys } = await server.addWorkspace()
  const olivia = personAt(url, keys.olivia)
  const api = callAs(url, keys.olivia)
  const entryOf = async (name: string) => (await api.get(`/entries?name=${name}`)).body.entries[0]
  const preview = async (name: string, bytes: Uint8Array, kind: keyof typeof contentTypes = 'glb') => {
    const { id, object_id } = await entryOf(name)
    const answer = await api.put(`/entries/${id}/preview?object_id=${object_id}&kind=${kind}`, Buffer.from(bytes), {
      'content-type': contentTypes[kind],
    })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  }
  return { olivia, entryOf, preview }
}

async function picturesOf(person: Person, line: string): Promise<{ text: string; drawn: Decoded[] }> {
  const { stdout, code, stderr } = await person.run(line, kitty)
  expect(code, stderr).toBe(0)
  return { text: stripVTControlCharacters(stdout), drawn: await Promise.all(kittyCommands(stdout).map(kittyPixels)) }
}

/** How many pixels are more red than green, more green than red, and neither. */
function countColors({ width, height, at }: Decoded, columns: [number, number] = [0, width]) {
  const counts = { red: 0, green: 0, other: 0, top: height, bottom: 0 }
  for (let x = columns[0]; x < columns[1]; x++)
    for (let y = 0; y < height; y++) {
      const [red = 0, green = 0, , alpha = 0] = at(x, y)
      if (alpha < 128) continue
      counts[red > green + 40 ? 'red' : green > red + 40 ? 'green' : 'other']++
      counts.top = Math.min(counts.top, y)
      counts.bottom = Math.max(counts.bottom, y)
    }
  return counts
}

test('ph show draws a mesh from its preview, in its colours, where its thumbnail would be of one grey pixel', async () => {
  const { olivia, preview } = await library()
  await olivia.save('SM_Barrel', 'one', { thumbnail: picture })
  await olivia.ok('push')
  await preview('SM_Barrel', await twoSidedGlb())
  const { drawn } = await picturesOf(olivia, 'show SM_Barrel')
  const [first] = drawn
  if (!first) throw new Error('There is no picture.')
  const { red, green } = countColors(first)
  expect(Math.min(red, green)).toBeGreaterThan(1000)
})

test('without preview and thumbnail it is said that there is no picture, unless none was asked for', async () => {
  const { olivia } = await library()
  await olivia.save('SM_Bare')
  await olivia.ok('push')
  expect((await picturesOf(olivia, 'show SM_Bare')).text).toContain('It has no picture, and none could be drawn of it.')
  expect((await olivia.run('show SM_Bare --no-pictures', kitty)).stdout).not.toContain('no picture')
})

test('a texture shows its own pixels, a sound its waveform and how long it is', async () => {
  const { olivia, preview } = await library()
  await olivia.save('T_Oak')
  await olivia.save('S_Bell')
  await olivia.ok('push')
  await preview('T_Oak', await pngOf(64, 32), 'image')
  await preview('S_Bell', wavOf({ frames: 20_000 }), 'audio')
  const oak = await picturesOf(olivia, 'show T_Oak')
  expect(oak.drawn[0]?.at(180, 180)).toEqual([0x33, 0xaa, 0x77, 255])
  expect(oak.drawn[0]?.at(180, 20)[3]).toBe(0)
  expect(oak.text).toContain('64 x 32 px')
  const bell = await picturesOf(olivia, 'show S_Bell')
  expect(bell.text).toMatch(/length +2\.5 s/)
  expect(bell.drawn[0]?.at(180, 180)[3]).toBeGreaterThan(100)
})

test('ph diff draws both versions at one scale from one angle, so that what was halved is seen half as high', async () => {
  const { olivia, preview } = await library()
  await olivia.save('SM_Barrel', 'one')
  await olivia.ok('push')
  await preview('SM_Barrel', await twoSidedGlb([100, 100, 200]))
  await olivia.save('SM_Barrel', 'two')
  await olivia.ok('push')
  await preview('SM_Barrel', await twoSidedGlb([100, 100, 100]))
  const { drawn } = await picturesOf(olivia, 'diff SM_Barrel')
  const [both] = drawn
  if (!both) throw new Error('There is no picture.')
  const half = both.width >> 1
  const [before, after] = [countColors(both, [0, half]), countColors(both, [half, both.width])]
  const heights = [before, after].map(({ top, bottom }) => bottom - top)
  expect(Math.min(before.red, before.green, after.red, after.green)).toBeGreaterThan(100)
  expect((heights[1] ?? 0) / (heights[0] ?? 1)).toBeGreaterThan(0.5)
  expect((heights[1] ?? 0) / (heights[0] ?? 1)).toBeLessThan(0.75)
})
