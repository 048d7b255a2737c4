// Makes of typebox, some seven hundred files of which each start of a program would read most, a few files in dist/typebox, and lets what was
// compiled import those. Run by bin/build.mjs.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path/posix'
import { build } from 'rolldown'

const dist = process.argv[2]
const license = readFileSync(new URL('../node_modules/typebox/license', import.meta.url), 'utf8')
const imported = /(?<=\bfrom ['"])typebox(?:\/([\w-]+))?(?=['"])/g
const fileOf = (entry) => `${entry ?? 'index'}.js`

const entries = new Set()
for (const name of globSync('**/*.js', { cwd: dist })) {
  const file = name.replaceAll('\\', '/')
  const text = readFileSync(join(dist, file), 'utf8')
  const changed = text.replace(imported, (_, entry) => {
    entries.add(entry)
    const path = relative(dirname(file), join('typebox', fileOf(entry)))
    return path.startsWith('.') ? path : `./${path}`
  })
  if (changed !== text) writeFileSync(join(dist, file), changed)
}

await build({
  input: Object.fromEntries(Array.from(entries, (entry) => [entry ?? 'index', entry ? `typebox/${entry}` : 'typebox'])),
  platform: 'node',
  output: {
    dir: join(dist, 'typebox'),
    format: 'es',
    banner: `/*! typebox\n${license.trim()}\n*/`,
    chunkFileNames: 'shared-[hash].js',
    entryFileNames: '[name].js',
  },
})
