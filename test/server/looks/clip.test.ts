/** A pair of models out of a folder: words and pictures in one space, in a thread that may fail, from files that may be wrong. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { FormatError } from '../../../formats/format-error.ts'
import { openClip } from '../../../server/looks/clip/clip.ts'
import type { ClipThreadOptions } from '../../../server/looks/clip/clip-thread.ts'
import type { Look } from '../../../server/looks/embedder.ts'
import { EmbedderError } from '../../../server/looks/embedder-error.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type TinyClip, textModel, visionModel, writeTinyClip } from '../../support/tiny-clip.ts'

const folderOf = (options: TinyClip = {}) => writeTinyClip(temporaryFolder(), options)

async function opened(folder: string, options: ClipThreadOptions = {}) {
  const clip = await openClip(folder, options)
  onTestFinished(() => clip.close())
  return clip
}

const plain = (background: string) =>
  sharp({ create: { width: 40, height: 20, channels: 3, background } })
    .png()
    .toBuffer()

const cosine = (a: Look, b: Look): number =>
  a.shape.reduce((sum, value, at) => sum + value * (b.shape[at] ?? 0), 0) / Math.hypot(...a.shape) / Math.hypot(...b.shape)

test.each([
  ['a tokenizer.json', {}],
  ['vocab.json and merges.txt, and a model for texts of ten tokens only', { oldTokenizer: true, textLength: 10 }],
])(
  'words lie nearest to the pictures they name, with %s',
  async (_, options) => {
    const clip = await opened(await folderOf(options))
    expect(clip).toMatchObject({ dimensions: { shape: 64, colour: 0 }, colourWeight: 0 })
    const pictures = await Promise.all(['#f00', '#0f0', '#00f'].map(async (colour) => clip.look(await plain(colour))))
    for (const [index, words] of ['red', 'A green BARREL', 'blue ünïcode 木'].entries()) {
      const said = await clip.words(words)
      const likeness = pictures.map((picture) => cosine(picture, said))
      expect(likeness.indexOf(Math.max(...likeness))).toBe(index)
    }
    await expect(clip.words('')).resolves.toBeDefined()
    await expect(clip.words('red '.repeat(5000))).resolves.toBeDefined()
  },
  120_000,
)

test('the name follows the files: other files make other vectors', async () => {
  const folder = await folderOf()
  const first = await opened(folder)
  expect(first.name).toMatch(/^clip-2-[0-9a-f]{12}$/)
  expect((await opened(await folderOf())).name).toBe(first.name)
  expect((await opened(await folderOf({ dimensions: 24 }))).name).not.toBe(first.name)
}, 120_000)

test.each<[string, (folder: string) => void, string]>([
  ['no folder', (folder) => rmSync(folder, { recursive: true }), 'does not exist'],
  ['no image model', (folder) => rmSync(join(folder, 'vision_model.onnx')), 'vision_model.onnx'],
  ['no text model', (folder) => rmSync(join(folder, 'text_model.onnx')), 'text_model.onnx'],
  ['no tokenizer', (folder) => rmSync(join(folder, 'tokenizer.json')), 'tokenizer.json'],
  ['no preprocessing', (folder) => rmSync(join(folder, 'preprocessor_config.json')), 'preprocessor_config.json'],
  [
    'a damaged model',
    (folder) => writeFileSync(join(folder, 'vision_model.onnx'), visionModel().subarray(0, 200)),
    'vision_model.onnx',
  ],
  [
    'a model of texts for pictures',
    (folder) => writeFileSync(join(folder, 'vision_model.onnx'), textModel()),
    'vision_model.onnx',
  ],
  [
    'a model of pictures of another size',
    (folder) => writeFileSync(join(folder, 'vision_model.onnx'), visionModel({ edgePx: 6 })),
    'vision_model.onnx',
  ],
  [
    'models of unlike lengths',
    (folder) => writeFileSync(join(folder, 'text_model.onnx'), textModel({ textDimensions: 8 })),
    'do not belong together',
  ],
  ['a tokenizer that is no JSON', (folder) => writeFileSync(join(folder, 'tokenizer.json'), '{"model":'), 'tokenizer.json'],
  ['a tokenizer of nothing', (folder) => writeFileSync(join(folder, 'tokenizer.json'), '{}'), 'tokenizer.json'],
  [
    'a size that is none',
    (folder) => writeFileSync(join(folder, 'preprocessor_config.json'), '{"size":1e9}'),
    'preprocessor_config.json',
  ],
])(
  '%s: it fails at the start, and says so',
  async (_, spoil, named) => {
    const folder = await folderOf()
    spoil(folder)
    const failure = await openClip(folder).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(EmbedderError)
    expect((failure as Error).message).toContain(named)
  },
  120_000,
)

test('a tokenizer of another model fails at the start, and is named', async () => {
  await expect(openClip(await folderOf({ strangeTokens: true }))).rejects.toThrow(
    /tokenizer\.json does not belong to .*text_model\.onnx/,
  )
}, 120_000)

test('a picture that cannot be read is refused, and the next one is looked at', async () => {
  const clip = await opened(await folderOf())
  await expect(clip.look(Buffer.from('no picture'))).rejects.toBeInstanceOf(FormatError)
  const thin = await sharp({ create: { width: 5000, height: 1, channels: 3, background: '#f00' } })
    .png()
    .toBuffer()
  expect(cosine(await clip.look(thin), await clip.look(await plain('#f00')))).toBeGreaterThan(0.9)
}, 120_000)

test('whoever takes too long is given up, and another thread takes the next picture', async () => {
  const limits: ClipThreadOptions = { limitMs: 1 }
  const clip = await opened(await folderOf(), limits)
  const large = await sharp({ create: { width: 6000, height: 6000, channels: 3, background: '#f00' } })
    .png({ compressionLevel: 1 })
    .toBuffer()
  await expect(clip.look(large)).rejects.toThrow(/took longer than 0.001 seconds/)
  limits.limitMs = 60_000
  expect(cosine(await clip.look(await plain('#0f0')), await clip.words('green'))).toBeGreaterThan(0.3)
}, 120_000)
