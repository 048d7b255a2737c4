// Sounds and pictures that encoders of other projects made, a few kilobytes each, in test/samples: two sines of 440 and 1000 Hz (sox, then
// oggenc, opusenc, flac and lame), and a picture of 40 x 16 pixels whose red grows darker upwards (ffmpeg, then exrmaketiled of OpenEXR).
import { readFileSync } from 'node:fs'

export const sample = (name: string): Buffer => readFileSync(new URL(`../samples/${name}`, import.meta.url))
