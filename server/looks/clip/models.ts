/** The pair of models, run by WebAssembly in this thread: it stands still meanwhile, see clip-worker.ts. */
import { readFile } from 'node:fs/promises'
import type { InferenceSession, Tensor } from 'onnxruntime-web'
import { EmbedderError } from '../embedder-error.ts'
import { findModelFiles, readJsonObject } from './model-files.ts'
import { type Preprocessing, pixelValues, preprocessingOf } from './preprocessing.ts'
import { openTokens, type TextTokens } from './text-tokens.ts'

type Runtime = typeof import('onnxruntime-web')

/** Of CLIP, where neither model nor tokenizer says otherwise. */
const usualTokens = 77

export class Models {
  readonly dimensions: number
  readonly #runtime: Runtime
  readonly #vision: OneModel
  readonly #text: OneModel
  readonly #preprocessing: Preprocessing
  readonly #tokens: TextTokens

  private constructor(parts: {
    runtime: Runtime
    vision: OneModel
    text: OneModel
    preprocessing: Preprocessing
    tokens: TextTokens
    dimensions: number
  }) {
    this.#runtime = parts.runtime
    this.#vision = parts.vision
    this.#text = parts.text
    this.#preprocessing = parts.preprocessing
    this.#tokens = parts.tokens
    this.dimensions = parts.dimensions
  }

  /** Runs both models once. Throws EmbedderError that names the file that cannot be used. */
  static async open(folder: string): Promise<Models> {
    const files = await findModelFiles(folder)
    const preprocessing = preprocessingOf(await readJsonObject(files.preprocessor), files.preprocessor)
    const tokens = await openTokens(files, () => loaded(() => import('@huggingface/tokenizers')))
    const runtime = await loaded(() => import('onnxruntime-web'))
    runtime.env.wasm.numThreads = 1
    runtime.env.logLevel = 'fatal'
    const vision = await OneModel.open(runtime, files.vision)
    const text = await OneModel.open(runtime, files.text)
    const parts = { runtime, vision, text, preprocessing, tokens, dimensions: 0 }
    const trial = new Models(parts)
    const { width, height } = preprocessing
    const ofPicture = await trial.#ofPixels(new Float32Array(3 * width * height))
    const ofWords = await trial.words('a wooden barrel')
    await trial.#ofTokens([tokens.last]).catch((cause: Error) => {
      const tokenizer = 'json' in files.tokenizer ? files.tokenizer.json : files.tokenizer.vocabulary
      throw new EmbedderError(`${tokenizer} does not belong to ${files.text}, which takes no token ${tokens.last}.`, { cause })
    })
    if (ofPicture.length !== ofWords.length)
      throw new EmbedderError(
        `The models do not belong together: ${files.vision} gives ${ofPicture.length} numbers, ${files.text} gives ${ofWords.length}.`,
      )
    return new Models({ ...parts, dimensions: ofPicture.length })
  }

  /** Throws FormatError. */
  async picture(bytes: Uint8Array): Promise<Float32Array> {
    return this.#ofPixels(await pixelValues(bytes, this.#preprocessing))
  }

  words(text: string): Promise<Float32Array> {
    return this.#ofTokens(this.#tokens.of(text, this.#text.fixedLength('input_ids') ?? usualTokens))
  }

  #ofPixels(values: Float32Array): Promise<Float32Array> {
    const { width, height } = this.#preprocessing
    const { Tensor } = this.#runtime
    return this.#vision.run({ pixel_values: new Tensor('float32', values, [1, 3, height, width]) }, [
      'image_embeds',
      'pooler_output',
    ])
  }

  #ofTokens(ids: readonly number[]): Promise<Float32Array> {
    const { Tensor } = this.#runtime
    const length = this.#text.fixedLength('input_ids') ?? ids.length
    const at = (index: number): number => ids[index] ?? this.#tokens.filler
    const integers = (name: string, valueAt: (index: number) => number): Tensor => {
      const values = Array.from({ length }, (_, index) => valueAt(index))
      if (this.#text.typeOf(name) === 'int32') return new Tensor('int32', Int32Array.from(values), [1, length])
      return new Tensor('int64', BigInt64Array.from(values, BigInt), [1, length])
    }
    const feeds: Record<string, Tensor> = { input_ids: integers('input_ids', at) }
    if (this.#text.takes('attention_mask'))
      feeds.attention_mask = integers('attention_mask', (index) => (index < ids.length ? 1 : 0))
    return this.#text.run(feeds, ['text_embeds', 'pooler_output'])
  }
}

class OneModel {
  readonly #path: string
  readonly #session: InferenceSession

  private constructor(path: string, session: InferenceSession) {
    this.#path = path
    this.#session = session
  }

  static async open(runtime: Runtime, path: string): Promise<OneModel> {
    const bytes = await readFile(path)
    try {
      return new OneModel(
        path,
        await runtime.InferenceSession.create(bytes, { executionProviders: ['wasm'], logSeverityLevel: 4 }),
      )
    } catch (cause) {
      throw new EmbedderError(`${path} is no ONNX model that can be used: ${firstLine(cause)}`, { cause })
    }
  }

  takes(input: string): boolean {
    return this.#session.inputNames.includes(input)
  }

  typeOf(input: string): string | undefined {
    const metadata = this.#session.inputMetadata.find(({ name }) => name === input)
    return metadata?.isTensor ? metadata.type : undefined
  }

  /** Where the model takes texts of one length only. */
  fixedLength(input: string): number | undefined {
    const metadata = this.#session.inputMetadata.find(({ name }) => name === input)
    const length = metadata?.isTensor ? metadata.shape[1] : undefined
    return typeof length === 'number' && length > 0 ? length : undefined
  }

  /** The first of these outputs that there is. Throws EmbedderError. */
  async run(feeds: Record<string, Tensor>, outputs: readonly string[]): Promise<Float32Array> {
    const { inputNames, outputNames } = this.#session
    const wrong = inputNames.find((name) => !(name in feeds)) ?? Object.keys(feeds).find((name) => !inputNames.includes(name))
    if (wrong !== undefined)
      throw new EmbedderError(
        `${this.#path} takes ${inputNames.join(', ')}; wanted is a model that takes ${Object.keys(feeds).join(', ')}.`,
      )
    const wanted = outputs.find((name) => outputNames.includes(name))
    if (wanted === undefined)
      throw new EmbedderError(`${this.#path} gives ${outputNames.join(', ')}; wanted is a model that gives ${outputs[0]}.`)
    let answer: Tensor | undefined
    try {
      answer = (await this.#session.run(feeds, [wanted], { logSeverityLevel: 4 }))[wanted]
    } catch (cause) {
      throw new EmbedderError(`${this.#path} failed: ${firstLine(cause)}`, { cause })
    }
    const { data, dims = [] } = answer ?? {}
    if (!(data instanceof Float32Array) || dims.length !== 2 || dims[0] !== 1 || data.length < 2)
      throw new EmbedderError(
        `${this.#path} gives ${wanted} of the shape ${dims.join(' x ')}; wanted are floats of the shape 1 x length.`,
      )
    if (!data.every(Number.isFinite)) throw new EmbedderError(`${this.#path} gives numbers that are none.`)
    return data
  }
}

const firstLine = (cause: unknown): string =>
  String(cause instanceof Error ? cause.message : cause)
    .split('\n')[0]
    ?.slice(0, 300) ?? ''

async function loaded<Library>(load: () => Promise<Library>): Promise<Library> {
  try {
    return await load()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    const words =
      'PH_EMBEDDER=clip needs two packages that are not installed. Run: npm install onnxruntime-web @huggingface/tokenizers'
    throw new EmbedderError(words, { cause })
  }
}
