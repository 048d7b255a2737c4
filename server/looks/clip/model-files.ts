/** The files of a pair of models that someone exported into a folder, and their names as exports have them. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbedderError } from '../embedder-error.ts'

export interface ModelFiles {
  folder: string
  /** Paths. */
  vision: string
  text: string
  preprocessor: string
  /** One file, or the two that older exports have. */
  tokenizer: { json: string } | { vocabulary: string; merges: string }
  tokenizerConfig: string | undefined
}

/** Smaller models give nearly the same vectors, but others: the first that is there. */
const variants = ['', '_quantized', '_int8', '_uint8', '_fp16']
/** Some exports put the models into a folder of their own. */
const modelFolders = ['', 'onnx']

/** Throws EmbedderError that names the file that is not there. */
export async function findModelFiles(folder: string): Promise<ModelFiles> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new EmbedderError(`PH_EMBEDDER names the folder ${folder}, which does not exist.`)
  const model = (name: string) => {
    const places = modelFolders.flatMap((under) => variants.map((variant) => join(folder, under, `${name}${variant}.onnx`)))
    return firstOf(places)
  }
  const [vision, text, preprocessor, json, vocabulary, merges, tokenizerConfig] = await Promise.all([
    model('vision_model'),
    model('text_model'),
    ...['preprocessor_config.json', 'tokenizer.json', 'vocab.json', 'merges.txt', 'tokenizer_config.json'].map((name) =>
      firstOf([join(folder, name)]),
    ),
  ])
  const needed = (path: string | undefined, name: string): string => {
    if (path === undefined) throw new EmbedderError(`The model folder ${folder} has no ${name}.`)
    return path
  }
  return {
    folder,
    vision: needed(vision, 'vision_model.onnx'),
    text: needed(text, 'text_model.onnx'),
    preprocessor: needed(preprocessor, 'preprocessor_config.json'),
    tokenizer:
      json === undefined
        ? {
            vocabulary: needed(vocabulary, 'tokenizer.json, nor vocab.json with merges.txt'),
            merges: needed(merges, 'merges.txt beside vocab.json'),
          }
        : { json },
    tokenizerConfig,
  }
}

async function firstOf(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if ((await stat(path).catch(() => undefined))?.isFile()) return path
  return undefined
}

/** 12 hex digits: other files make other vectors. */
export async function hashOfModels(files: ModelFiles): Promise<string> {
  const { vision, text, preprocessor, tokenizer, tokenizerConfig } = files
  const hash = createHash('sha256')
  for (const path of [
    vision,
    text,
    preprocessor,
    ...Object.values<string>(tokenizer),
    ...(tokenizerConfig ? [tokenizerConfig] : []),
  ]) {
    const own = createHash('sha256')
    for await (const part of createReadStream(path)) own.update(part)
    hash.update(own.digest())
  }
  return hash.digest('hex').slice(0, 12)
}

/** Throws EmbedderError where the file is no JSON object. */
export async function readJsonObject(path: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (cause) {
    throw new EmbedderError(`${path} is damaged: it is not JSON.`, { cause })
  }
  throw new EmbedderError(`${path} is damaged: it holds no object.`)
}
