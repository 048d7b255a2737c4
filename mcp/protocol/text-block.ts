/** The only way a text comes into the content of an answer. */
import type { Said } from '../tools/said.ts'

export const textBlock = ({ text }: Said) => ({ type: 'text' as const, text })
