/**
 * Two lists of kinds of files, by extension: those that something runs, which no library takes, and those that props are made of, which
 * alone are placed into projects. A kind is lower case, without the dot. Loads no schemas.
 */
import type { PullWarning } from './pull-jobs.ts'

const setOf = (...lines: string[]): ReadonlySet<string> => new Set(lines.join(' ').split(' '))

/**
 * What a system, the editor, Python or a shell runs or loads as code, or opens by starting a program. No library takes these.
 * `ini`, `cs` and other texts are not here: they mean something in the folders of a project only, and nothing is placed there.
 */
export const executableKinds = setOf(
  // Windows: programs, what installs them, and what it loads into them.
  'exe com scr pif cpl msi msp mst msix msixbundle appx appxbundle appinstaller application gadget dll ocx sys drv ax xll',
  // Windows: scripts, and documents that run them.
  'bat cmd ps1 psm1 psd1 ps1xml psc1 cdxml vbs vbe vb js jse ws wsf wsc wsh sct hta chm msc jnlp',
  // Windows: shortcuts, settings and packages that start or change something when they are opened.
  'lnk url scf website appref-ms settingcontent-ms library-ms search-ms searchconnector-ms diagcab reg inf',
  // macOS: programs, what installs them, scripts, plugins of the system, and files that open others.
  'app pkg mpkg command tool terminal action workflow scpt scptd applescript osax dylib bundle kext prefpane qlgenerator saver',
  'fileloc inetloc webloc',
  // Linux: programs, libraries, packages, and what desktops and services start.
  'elf so ko run appimage deb rpm snap flatpak flatpakref flatpakrepo desktop service',
  // Shells.
  'sh bash zsh fish csh tcsh ksh dash',
  // Python: modules however they are kept, and files that change which it loads. It runs in the editor.
  'py pyc pyo pyd pyw pyz pyzw pth _pth egg whl',
  // Other languages that systems run when a file is opened, or that the editor has plugins for.
  'mjs cjs node wasm jar class war pl rb php lua',
  // The editor: a project and a plugin name the code that it loads. `modules` lists the libraries beside it.
  'uproject uplugin modules',
)

/** Files of the engine itself. */
export const packageKinds = setOf('uasset umap')

/** What props are made of. Whatever `ph push` takes without `--all` is here. */
export const propKinds = setOf(
  // Unreal packages, and the bulk data beside cooked ones.
  'uasset umap uexp ubulk uptnl upayload',
  // Meshes and scenes for exchange.
  'fbx obj gltf glb stl ply dae abc usd usda usdc usdz 3ds 3mf lwo dxf step stp iges igs skp',
  // Companions of models: buffers and materials of glTF and OBJ, caches of points.
  'bin mtl mdd pc2',
  // Pictures.
  'png jpg jpeg tga bmp gif webp tif tiff exr hdr dds psd psb kra xcf svg ies ktx ktx2 basis avif heic jp2',
  // Sounds.
  'wav ogg oga opus mp3 flac aif aiff m4a aac wma caf mid midi',
  // Animation, volumes, movies, fonts.
  'bvh vdb mp4 mov avi mkv webm m4v wmv mpg mpeg ogv bk2 ttf otf ttc woff woff2',
  // Materials, tables of colours, and the scenes of the programs that props are made in.
  'mtlx sbs sbsar spp cube blend ma mb max c4d hip hiplc hipnc ztl zpr',
)

/** HFS+ takes names that differ in these alone for one. */
const unseen = /\p{Cf}/gu

/**
 * The kind of a file by its name or path, as the laxest of systems reads it: what is not seen does not count, what follows a colon names a
 * stream on NTFS, dots and spaces at the end are dropped on Windows, `libm.so.6` is a library. Empty for a name without one.
 */
export function kindOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).replaceAll(unseen, '')
  const end = name.indexOf(':')
  let stem = end < 0 ? name : name.slice(0, end)
  while (stem.endsWith('.') || stem.endsWith(' ')) stem = stem.slice(0, -1)
  const kind = stem.slice(stem.lastIndexOf('.') + 1).toLowerCase()
  if (/^\d+$/.test(kind) && /\.so\.[\d.]+$/i.test(stem)) return 'so'
  return stem.includes('.') ? kind : ''
}

/** The folder, directly below Content, whose scripts the editor loads; compared without regard to case. */
const scriptsFolder = /^python\//i
const scriptsPath = /^\/game\/python\//i

interface KeptFile {
  /** As `kindOf` gives it. */
  kind: string
  /** A name under `/Game`, where it has one. */
  packagePath?: string | null | undefined
}

/** Why no library takes a file, as the end of a sentence about it; undefined where one does. */
export function whyNotKept({ kind, packagePath }: KeptFile): string | undefined {
  if (executableKinds.has(kind)) return `is a program or script (.${kind}), and the library takes none`
  const isAmongScripts = packagePath != null && scriptsPath.test(packagePath) && !packageKinds.has(kind)
  return isAmongScripts ? 'lies below /Game/Python, from where the editor runs scripts; only packages are taken there' : undefined
}

/** Why a file is placed into no project, as the end of a sentence about it; undefined where it may be. `path` is below a Content folder, with its extension. */
export function whyNotPlaced(path: string): string | undefined {
  const kind = kindOf(path)
  if (executableKinds.has(kind)) return `is a program or script (.${kind}), and none is placed into a project`
  if (!propKinds.has(kind))
    return `${kind === '' ? 'has no extension' : `is a .${kind} file`}, and only props are placed into a project`
  if (!scriptsFolder.test(path.replaceAll(unseen, '')) || packageKinds.has(kind)) return undefined
  return 'would lie in Content/Python, from where the editor runs scripts; only packages are placed there'
}

/** A file of a pull that is placed into no project; `why` ends the sentence that begins with `path`. */
export interface NotPlaced {
  path: string
  object_id: number
  why: string
}

const mostNamed = 5

/** What people want to know of files that a pull leaves out; none where it leaves out none. */
export function notPlacedWarnings(files: readonly NotPlaced[]): PullWarning[] {
  if (files.length === 0) return []
  const more = files.length > mostNamed ? ` And ${files.length - mostNamed} more.` : ''
  const sentences = files.slice(0, mostNamed).map(({ path, why }) => `${path} ${why}.`)
  const message = `Not placed: ${sentences.join(' ')}${more}`
  return [{ type: 'not_placed', message, object_ids: files.map(({ object_id }) => object_id) }]
}
