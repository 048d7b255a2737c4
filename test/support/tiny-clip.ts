/** A pair of models in a few kilobytes, as exports lie in a folder: pictures by their mean colour, words by the colours they name. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes protobuf messages: https://protobuf.dev/programming-guides/encoding, fields by number as in onnx.proto. */
type Field = readonly [number: number, value: number | string | Uint8Array]

function message(...fields: Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number * 8), varint(value)]
      const bytes = typeof value === 'string' ? Buffer.from(value) : value
      return [varint(number * 8 + 2), varint(bytes.length), bytes]
    }),
  )
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  return Buffer.from([...bytes, left])
}

const [float, int64] = [1, 7]

/** A size that is a text may be any. */
function argumentOf(name: string, type: number, shape: readonly (number | string)[]): Uint8Array {
  const sizes = shape.map((size): Field => [1, message(typeof size === 'number' ? [1, size] : [2, size])])
  return message([1, name], [2, message([1, message([1, type], [2, message(...sizes)])])])
}

function tensorOf(name: string, shape: readonly number[], values: Float32Array): Uint8Array {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
  return message(...shape.map((size): Field => [1, size]), [2, float], [8, name], [9, bytes])
}

function nodeOf(operator: string, [inputs, outputs]: [string[], string[]], attributes: Uint8Array[] = []): Uint8Array {
  return message(
    ...inputs.map((one): Field => [1, one]),
    ...outputs.map((one): Field => [2, one]),
    [4, operator],
    ...attributes.map((one): Field => [5, one]),
  )
}

const number = (name: string, value: number) => message([1, name], [3, value], [20, 2])
const numbers = (name: string, value: number) => message([1, name], [8, value], [20, 7])

interface Graph {
  nodes: Uint8Array[]
  tensors: Uint8Array[]
  input: Uint8Array
  output: Uint8Array
}

/** ONNX with the operators of version 13. */
function modelOf({ nodes, tensors, input, output }: Graph): Uint8Array {
  const graph = message(
    ...nodes.map((one): Field => [1, one]),
    [2, 'tiny'],
    ...tensors.map((one): Field => [5, one]),
    [11, input],
    [12, output],
  )
  return message([1, 8], [7, graph], [8, message([2, 13])])
}

export interface TinyClip {
  dimensions?: number
  /** Of the text model, where it is to be another. */
  textDimensions?: number
  edgePx?: number
  /** Texts of one length only. */
  textLength?: number
  /** More tokens than the text model knows. */
  strangeTokens?: boolean
  oldTokenizer?: boolean
}

const colours = ['red', 'green', 'blue']

/** Unlike numbers for each colour, the same in both models. */
const directionOf = (colour: number, dimensions: number): number[] =>
  Array.from({ length: dimensions }, (_, at) => Math.sin((colour + 1) * (at + 1) * 1.7))

export function visionModel({ dimensions = 64, edgePx = 8 }: TinyClip = {}): Uint8Array {
  const weights = Float32Array.from(colours.flatMap((_, colour) => directionOf(colour, dimensions)))
  return modelOf({
    nodes: [
      nodeOf('GlobalAveragePool', [['pixel_values'], ['pooled']]),
      nodeOf('Flatten', [['pooled'], ['means']], [number('axis', 1)]),
      nodeOf('MatMul', [['means', 'weights'], ['image_embeds']]),
    ],
    tensors: [tensorOf('weights', [3, dimensions], weights)],
    input: argumentOf('pixel_values', float, ['batch', 3, edgePx, edgePx]),
    output: argumentOf('image_embeds', float, ['batch', dimensions]),
  })
}

export function textModel({ dimensions = 64, textDimensions = dimensions, textLength }: TinyClip = {}): Uint8Array {
  const count = Object.keys(vocabulary()).length
  const table = Object.keys(vocabulary()).flatMap((token) => {
    const colour = colours.indexOf(token.replace('</w>', ''))
    return colour < 0 ? Array.from({ length: textDimensions }, () => 0.001) : directionOf(colour, textDimensions)
  })
  return modelOf({
    nodes: [
      nodeOf('Gather', [['table', 'input_ids'], ['each']], [number('axis', 0)]),
      nodeOf('ReduceMean', [['each'], ['text_embeds']], [numbers('axes', 1), number('keepdims', 0)]),
    ],
    tensors: [tensorOf('table', [count, textDimensions], Float32Array.from(table))],
    input: argumentOf('input_ids', int64, ['batch', textLength ?? 'length']),
    output: argumentOf('text_embeds', float, ['batch', textDimensions]),
  })
}

const letters = [...'abcdefghijklmnopqrstuvwxyz']
/** What becomes of `red`, `green` and `blue`, pair by pair. */
const merges = ['e d</w>', 'r ed</w>', 'r e', 'g re', 'e n</w>', 'gre en</w>', 'u e</w>', 'l ue</w>', 'b lue</w>']

function vocabulary(strange = false): Record<string, number> {
  const tokens = [
    ...letters,
    ...letters.map((letter) => `${letter}</w>`),
    ...merges.map((pair) => pair.replace(' ', '')),
    '<|startoftext|>',
    '<|endoftext|>',
  ]
  return Object.fromEntries([...tokens, ...(strange ? ['quite-strange</w>'] : [])].map((token, id) => [token, id]))
}

function tokenizer(vocab: Record<string, number>): object {
  const [start, end] = ['<|startoftext|>', '<|endoftext|>']
  return {
    version: '1.0',
    added_tokens: [start, end].map((content) => ({
      id: vocab[content],
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }, { type: 'Lowercase' }] },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: String.raw`[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+` }, behavior: 'Removed', invert: true },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true },
      ],
    },
    post_processor: {
      type: 'RobertaProcessing',
      sep: [end, vocab[end]],
      cls: [start, vocab[start]],
      trim_offsets: false,
      add_prefix_space: false,
    },
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      unk_token: end,
      continuing_subword_prefix: '',
      end_of_word_suffix: '</w>',
      fuse_unk: false,
      vocab,
      merges,
    },
  }
}

/** Files as exports have them. */
export async function writeTinyClip(folder: string, options: TinyClip = {}): Promise<string> {
  await mkdir(folder, { recursive: true })
  const vocab = vocabulary(options.strangeTokens)
  const { edgePx = 8 } = options
  const preprocessor = {
    size: { shortest_edge: edgePx },
    crop_size: { height: edgePx, width: edgePx },
    do_center_crop: true,
    image_mean: [0.5, 0.5, 0.5],
    image_std: [0.5, 0.5, 0.5],
  }
  const files: Record<string, string | Uint8Array> = {
    'vision_model.onnx': visionModel(options),
    'text_model.onnx': textModel(options),
    'preprocessor_config.json': JSON.stringify(preprocessor),
    ...(options.oldTokenizer
      ? { 'vocab.json': JSON.stringify(vocab), 'merges.txt': `#version: 0.2\n${merges.join('\n')}\n` }
      : { 'tokenizer.json': JSON.stringify(tokenizer(vocab)) }),
  }
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
  return folder
}
