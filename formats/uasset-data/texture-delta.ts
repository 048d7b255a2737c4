// The encoding UEDELTA: pixels as differences to those above them, within cells that engines encode side by side.

/** Rows wider than this are cut into stripes of equal width. */
const maxStripeBytes = 4096
const stripeAlignment = 64
const cellPixels = 32_768

/**
 * How many rows a cell has; the first of them is stored as it is. All cells of a picture have the same height, so that
 * stripes need not be told apart.
 */
export function cellHeight({ width, height }: { width: number; height: number }, pixelBytes: number): number {
  const stripes = Math.ceil((width * pixelBytes) / maxStripeBytes)
  const even = Math.ceil((width * pixelBytes) / stripes)
  const stripeBytes = stripes > 1 ? Math.ceil(even / stripeAlignment) * stripeAlignment : even
  const cells = Math.max(1, Math.floor(((stripeBytes / pixelBytes) * height) / cellPixels))
  return Math.ceil(height / cells)
}

/** The pixels whose differences these are, of one byte a sample, in their place. */
export function undoDelta(pixels: Uint8Array, size: { width: number; height: number }, pixelBytes: number): Uint8Array {
  const rowBytes = size.width * pixelBytes
  const cellBytes = cellHeight(size, pixelBytes) * rowBytes
  for (let start = 0; start < pixels.length; start += cellBytes) {
    const end = Math.min(start + cellBytes, pixels.length)
    // Bytes wrap around at 256 as the array's elements do.
    for (let i = start + rowBytes; i < end; i++) pixels[i] = (pixels[i] ?? 0) + (pixels[i - rowBytes] ?? 0)
  }
  return pixels
}
