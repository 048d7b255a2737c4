/** The files of packages on disk: a level is a `.umap`, every other package a `.uasset`, a source file keeps its extension (contract-gaps 4). */

export interface Filed {
  /** Of a source file, without its dot; null for a package. */
  source_ext: string | null
  asset_class: string
}

/** Without dot. */
export const extensionOf = ({ source_ext, asset_class }: Filed): string => source_ext ?? packageExtension(asset_class)

export const packageExtension = (assetClass: string | null): 'umap' | 'uasset' => (assetClass === 'World' ? 'umap' : 'uasset')
