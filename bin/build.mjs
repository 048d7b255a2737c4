// Builds dist/ from the sources: tsc, then the files it does not copy (.sql, .css). Run by `npm ci` as `prepare`.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
rmSync(join(root, 'dist'), { recursive: true, force: true })
const tsc = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json')],
  {
    stdio: 'inherit',
  },
)
if (tsc.status !== 0) process.exit(tsc.status ?? 1)
for (const file of globSync('{server,client,cli}/**/*.{sql,css}', { cwd: root }))
  cpSync(join(root, file), join(root, 'dist', file))
