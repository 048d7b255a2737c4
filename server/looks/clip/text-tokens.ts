/** Texts as numbers of tokens, by the tokenizer that lies beside the models. */
import { readFile } from 'node:fs/promises'
import type { Tokenizer } from '@huggingface/tokenizers'
import { EmbedderError } from '../embedder-error.ts'
import { type ModelFiles, readJsonObject } from './model-files.ts'

export interface TextTokens {
  /** Of at most `most` tokens, the last of them the end as the tokenizer has it. Never none. */
  of(text: string, most: number): number[]
  /** What fills a text up to a fixed length. */
  filler: number
  /** The largest number that it can give. */
  last: number
}

/** Longer texts say nothing more: their tokens are cut off anyway. */
const mostCharacters = 1000

/** Throws EmbedderError that names the file. */
export async function openTokens(
  { tokenizer, tokenizerConfig }: ModelFiles,
  load: () => Promise<typeof import('@huggingface/tokenizers')>,
): Promise<TextTokens> {
  const library = await load()
  const path = 'json' in tokenizer ? tokenizer.json : tokenizer.vocabulary
  const whole = 'json' in tokenizer ? await readJsonObject(tokenizer.json) : await fromOldFiles(tokenizer)
  const config = tokenizerConfig === undefined ? {} : await readJsonObject(tokenizerConfig)
  try {
    return tokensOf(new library.Tokenizer(whole, config))
  } catch (cause) {
    throw new EmbedderError(`${path} is no tokenizer that can be used: ${(cause as Error).message}`, { cause })
  }
}

function tokensOf(tokenizer: Tokenizer): TextTokens {
  const vocabulary = [...tokenizer.get_vocab().values()]
  const last = vocabulary.reduce((most, id) => Math.max(most, id), -1)
  const encode = (text: string): number[] => tokenizer.encode(text.slice(0, mostCharacters)).ids
  const probe = encode('a wooden barrel')
  if (last < 0 || probe.length === 0 || !probe.every((id) => Number.isInteger(id) && id >= 0 && id <= last))
    throw new Error('it makes no tokens of words.')
  const end = probe.at(-1) ?? last
  return {
    last,
    filler: end,
    of(text, most) {
      const ids = encode(text)
      if (ids.length === 0) return [end]
      return ids.length <= most ? ids : [...ids.slice(0, most - 1), end]
    },
  }
}

/** What newer exports say in tokenizer.json of the tokenizer that CLIP was trained with. */
async function fromOldFiles({ vocabulary, merges }: { vocabulary: string; merges: string }): Promise<Record<string, unknown>> {
  const vocab = await readJsonObject(vocabulary)
  const lines = (await readFile(merges, 'utf8')).split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#version'))
  const [start, end] = ['<|startoftext|>', '<|endoftext|>']
  for (const token of [start, end])
    if (typeof vocab[token] !== 'number') throw new EmbedderError(`${vocabulary} is no vocabulary of CLIP: it has no ${token}.`)
  const words = String.raw`<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`
  return {
    added_tokens: [start, end].map((content) => ({
      id: vocab[content],
      content,
      special: true,
      normalized: false,
      lstrip: false,
      rstrip: false,
      single_word: false,
    })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFC' },
        { type: 'Replace', pattern: { Regex: String.raw`\s+` }, content: ' ' },
        { type: 'Lowercase' },
      ],
    },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: words }, behavior: 'Removed', invert: true },
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
      merges: lines,
    },
  }
}
