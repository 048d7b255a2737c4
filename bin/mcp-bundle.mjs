// Builds an MCP bundle (.mcpb): `ph mcp` as one file that an assistant on a desktop installs, for the system that this runs on. It holds what
// that command loads, with the packages made for this system, and asks for the address, the key and the projects. Run as
// `npm run mcp-bundle [file]` after `npm run build`.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packExtension } from '@anthropic-ai/mcpb'
import sharp from 'sharp'
import { resolved } from './client-manifest.mjs'
import { besides, reached } from './reached.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const built = (name) => import(join(root, 'dist', name))

const { version } = readJson('dist/install/version.json')
const file = resolve(process.argv[2] ?? join(root, `dist/prop-house-${version}-${process.platform}-${process.arch}.mcpb`))

/** Folders arrive as arguments, one each, and `ph mcp` wants each behind its option. */
const start = `// What the assistant starts: \`ph mcp\` with what the person chose: only to look, "true" or "false", then the folders of projects.
const [, , readOnly, ...projects] = process.argv
const chosen = [...(readOnly === 'true' ? ['--read-only'] : []), ...projects.flatMap((folder) => ['--project', folder])]
process.argv.splice(2, Infinity, 'mcp', ...chosen)
await import('./bin/ph.mjs')
`

const userConfig = {
  address: {
    type: 'string',
    title: 'Address',
    description: 'Where the library is, as in the browser: https://props.example.com, or https://props.example.com/w/acme.',
    required: true,
  },
  key: {
    type: 'string',
    title: 'Key',
    description: 'Make one on the page Keys of the library. A read key is enough for looking.',
    sensitive: true,
    required: true,
  },
  projects: {
    type: 'directory',
    title: 'Unreal projects',
    description: 'In whose files the assistant may work: pull, push, check out and check in. None: it only looks and orders.',
    multiple: true,
    required: false,
    default: [],
  },
  read_only: {
    type: 'boolean',
    title: 'Only look',
    description: 'The assistant sees no tool that changes anything.',
    required: false,
    default: false,
  },
}

/** What the assistant fills in: `user_config.key` becomes the key that the person gave. */
const filled = (name) => `\${${name}}`

async function manifestOf() {
  const { selectTools } = await built('mcp/tools/selection.js')
  const shown = selectTools({ toolsets: [], tools: [], exclude: [], readOnly: false }, { scope: 'write', isAdmin: false })
  const { description, license } = readJson('package.json')
  const config = {
    command: 'node',
    args: [`${filled('__dirname')}/start.mjs`, filled('user_config.read_only'), filled('user_config.projects')],
    env: { PH_URL: filled('user_config.address'), PH_API_KEY: filled('user_config.key') },
  }
  return {
    manifest_version: '0.3',
    name: 'prop-house',
    display_name: 'Prop House',
    version,
    description,
    long_description:
      'Find game props by word and by look, see what they need, compare versions, pull them into Unreal projects, check out, comment and review. What changes something is planned first.',
    author: { name: 'Prop House' },
    license,
    icon: 'icon.png',
    server: { type: 'node', entry_point: 'start.mjs', mcp_config: config },
    tools: shown.map(({ name, description: what }) => ({ name, description: what })),
    tools_generated: true,
    prompts_generated: true,
    user_config: userConfig,
    // As bin/ph.mjs asks for; packages made for one system are in it.
    compatibility: { platforms: [process.platform], runtimes: { node: '>=22.22.0' } },
  }
}

/** What `ph mcp` loads: no server, and no other command. */
const program = () =>
  reached(join(root, 'dist'), {
    starts: ['cli/main', 'cli/commands/mcp'],
    extension: '.js',
    isPassedOver: (from, to) => from === 'cli/first-words' && to.startsWith('cli/commands/'),
  })

/** Folders of node_modules: packages and what they need, as far as it is installed; what is made for other systems is not. */
function packagesFor(names) {
  const { packages } = readJson('package-lock.json')
  const found = new Set(names.map((name) => resolved(packages, '', name)))
  for (const place of found) {
    const { dependencies = {}, optionalDependencies = {} } = packages[place]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const at = resolved(packages, place, name)
      if (existsSync(join(root, at))) found.add(at)
    }
  }
  return [...new Set([...found].map((place) => place.split('/node_modules/')[0]))].toSorted()
}

async function writeFiles(folder) {
  const { treeOf } = await built('server/install/pack.js')
  const { files, packages } = program()
  const code = [...files, ...besides(root, { folder: join(root, 'dist'), files })]
  const trees = await Promise.all(
    packagesFor([...packages].filter((name) => name !== 'node')).map((place) => treeOf(join(root, place), place)),
  )
  const copied = ['LICENSE', 'bin/ph.mjs', ...code.map((file) => `dist/${file}`), ...trees.flat().map(({ name }) => name)]
  for (const file of copied) cpSync(join(root, file), join(folder, file))
  const { markIcon } = await built('server/dashboard/mark-icon.js')
  writeFileSync(
    join(folder, 'icon.png'),
    await sharp(Buffer.from(markIcon()), { density: 576 }).resize(512, 512).png().toBuffer(),
  )
  writeFileSync(join(folder, 'start.mjs'), start)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'prop-house', version, type: 'module', private: true }))
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(await manifestOf(), null, 2)}\n`)
}

const folder = mkdtempSync(join(tmpdir(), 'ph-mcp-bundle-'))
try {
  await writeFiles(folder)
  if (!(await packExtension({ extensionPath: folder, outputPath: file, silent: true })))
    throw new Error('the bundle was not packed')
  console.log(file)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
