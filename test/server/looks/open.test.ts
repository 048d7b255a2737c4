/** The setting that names an embedder. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbedder } from '../../../server/looks/open.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { writeTinyClip } from '../../support/tiny-clip.ts'

test('descriptor needs nothing else, and off is none', async () => {
  expect((await openEmbedder('descriptor'))?.name).toBe('descriptor-2')
  expect(await openEmbedder('off')).toBeUndefined()
})

test.each(['', 'on', 'clip', 'clip:', 'Descriptor', 'clip-base'])('"%s" names none, and is told what would', async (setting) => {
  await expect(openEmbedder(setting)).rejects.toThrow(
    `The embedder is "${setting}"; it takes descriptor, off or clip:<model folder>.`,
  )
})

test('without the packages that run models only models are refused, with the command that installs them', async () => {
  const folder = await writeTinyClip(temporaryFolder())
  const hooks = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) {
      if (/^(onnxruntime-web|@huggingface)/.test(name)) throw Object.assign(new Error('no ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
      return next(name, context)
    } })`
  const program = `const { openEmbedder } = await import(${JSON.stringify(join(import.meta.dirname, '../../../server/looks/open.ts'))})
    console.log((await openEmbedder('descriptor')).name)
    console.log(await openEmbedder('clip:${folder}').catch((error) => error.name + ': ' + error.message))`
  const asking = join(temporaryFolder({ 'asking.mjs': program }), 'asking.mjs')
  const { stdout } = spawnSync(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`, asking], {
    encoding: 'utf8',
  })
  expect(stdout).toBe(
    'descriptor-2\nEmbedderError: PH_EMBEDDER=clip needs two packages that are not installed. Run: npm install onnxruntime-web @huggingface/tokenizers\n',
  )
}, 120_000)
