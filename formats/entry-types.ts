// The one table from asset class to the entry type a library shows and filters by.

/** An open set to the library (spec 4.1); these are the ones that we give. */
export type EntryType = keyof typeof classesByType

/** Class names without their module. What is not listed here is told by how its name begins or ends. */
const classesByType = {
  mesh: 'StaticMesh GeometryCollection GeometryCache DynamicMesh GroomAsset GroomBindingAsset InterchangeSceneImportAsset',
  skeletal_mesh: 'SkeletalMesh DestructibleMesh CustomizableObject CustomizableObjectInstance ChaosClothAsset ChaosOutfitAsset',
  texture:
    'Texture2D Texture2DArray Texture2DDynamic TextureCube TextureCubeArray VolumeTexture TextureLightProfile MediaTexture ' +
    'TextureRenderTarget2D TextureRenderTarget2DArray TextureRenderTargetCube TextureRenderTargetVolume CanvasRenderTarget2D ' +
    'LightMapTexture2D ShadowMapTexture2D VirtualTexture2D RuntimeVirtualTexture StaticSparseVolumeTexture ' +
    'AnimatedSparseVolumeTexture CurveLinearColorAtlas SlateBrushAsset SubUVAnimation PaperSprite PaperSpriteAtlas ' +
    'PaperFlipbook PaperTileSet PaperTileMap',
  material:
    'Material MaterialInstance MaterialInstanceConstant MaterialInstanceDynamic MaterialFunction MaterialFunctionInstance ' +
    'MaterialFunctionMaterialLayer MaterialFunctionMaterialLayerInstance MaterialFunctionMaterialLayerBlend ' +
    'MaterialFunctionMaterialLayerBlendInstance MaterialParameterCollection MaterialParameterCollectionInstance ' +
    'LandscapeMaterialInstanceConstant DynamicMaterialInstance SubsurfaceProfile SpecularProfile',
  blueprint:
    'Blueprint WidgetBlueprint AnimBlueprint LevelScriptBlueprint EditorUtilityBlueprint EditorUtilityWidgetBlueprint ' +
    'GameplayAbilityBlueprint ControlRigBlueprint RigVMBlueprint BlueprintGeneratedClass WidgetBlueprintGeneratedClass ' +
    'AnimBlueprintGeneratedClass',
  vfx:
    'ParticleSystem NiagaraSystem NiagaraEmitter NiagaraScript NiagaraEffectType NiagaraParameterCollection ' +
    'NiagaraParameterCollectionInstance NiagaraParameterDefinitions NiagaraSimCache NiagaraDataChannelAsset ' +
    'VectorFieldStatic VectorFieldAnimated ChaosCacheCollection',
  audio:
    'SoundWave SoundWaveProcedural SoundCue SoundCueTemplate SoundClass SoundMix SoundAttenuation SoundConcurrency SoundSubmix ' +
    'SoundSourceBus SoundEffectSourcePresetChain SoundControlBus SoundControlBusMix SoundModulationPatch MetaSound ' +
    'MetaSoundSource MetaSoundPatch ReverbEffect DialogueVoice DialogueWave AudioBus ImpulseResponse WaveTableBank MidiFile',
  animation:
    'AnimSequence AnimMontage AnimComposite AnimStreamable PoseAsset BlendSpace BlendSpace1D AimOffsetBlendSpace ' +
    'AimOffsetBlendSpace1D Skeleton Rig IKRigDefinition IKRetargeter MirrorDataTable PoseSearchDatabase PoseSearchSchema ' +
    'AnimBoneCompressionSettings AnimCurveCompressionSettings VariableFrameStrippingSettings AnimationSharingSetup ' +
    'CameraAnim MLDeformerAsset OptimusDeformer ChooserTable',
  sequence:
    'LevelSequence TemplateSequence CameraAnimationSequence DaySequence ActorSequence MovieGraphConfig ' +
    'MoviePipelinePrimaryConfig MoviePipelineMasterConfig MoviePipelineShotConfig MoviePipelineQueue TakePreset',
  level: 'World MapBuildDataRegistry DataLayerAsset ExternalDataLayerAsset HLODLayer LevelSnapshot',
  landscape: 'LandscapeLayerInfoObject LandscapeGrassType',
  foliage: 'FoliageType FoliageType_InstancedStaticMesh FoliageType_Actor ProceduralFoliageSpawner',
  physics: 'PhysicsAsset PhysicalMaterial PhysicalMaterialMask ChaosPhysicalMaterial ChaosSolver FieldSystem',
  data:
    'DataAsset PrimaryDataAsset PrimaryAssetLabel DataTable CompositeDataTable CurveTable CompositeCurveTable CurveFloat ' +
    'CurveVector CurveLinearColor StringTable UserDefinedEnum UserDefinedStruct FbxSceneImportData',
  input:
    'InputAction InputMappingContext PlayerMappableInputConfig TouchInterface ForceFeedbackEffect ForceFeedbackAttenuation ' +
    'HapticFeedbackEffect_Curve HapticFeedbackEffect_Buffer HapticFeedbackEffect_SoundWave',
  ai: 'BehaviorTree BlackboardData EnvQuery StateTree SmartObjectDefinition MassEntityConfigAsset',
  procedural: 'PCGGraph PCGGraphInstance PCGDataAsset',
  font: 'Font FontFace',
  media: 'MediaPlayer MediaPlaylist MediaProfile FileMediaSource StreamMediaSource ImgMediaSource PlatformMediaSource',
  source_mesh: 'SourceMesh',
  source_texture: 'SourceTexture',
  source_audio: 'SourceAudio',
  source_animation: 'SourceAnimation',
  source_material: 'SourceMaterial',
  source_scene: 'SourceScene',
  source_volume: 'SourceVolume',
  source_video: 'SourceVideo',
  source_font: 'SourceFont',
} as const

/** What the source data in an entry's file are, where they are one of these. */
export const sourceKinds = {
  mesh: ['mesh', 'skeletal_mesh', 'source_mesh'],
  picture: ['texture', 'source_texture'],
  sound: ['audio', 'source_audio'],
} as const satisfies Record<string, readonly EntryType[]>

export const entryTypes: readonly string[] = Object.keys(classesByType)

/** For classes of plugins, of projects and of engines to come. The first that fits decides; parent classes are not in a file. */
const typesByPattern: [RegExp, EntryType][] = [
  [/Blueprint(GeneratedClass)?$/, 'blueprint'],
  [/^(Niagara|Particle)/, 'vfx'],
  [/^(Meta)?Sound|^Submix|^SourceEffect|^Audio|^AkAudio|^FMOD|Submix$/, 'audio'],
  [/^(Physical|Physics|Chaos)|PhysicalMaterial$/, 'physics'],
  [/^Material|MaterialInstance/, 'material'],
  [/Texture(2D|Cube|Array|Volume)?$|^TextureRenderTarget|RenderTarget2D$/, 'texture'],
  [/SkeletalMesh$/, 'skeletal_mesh'],
  [/StaticMesh$/, 'mesh'],
  [/^(Anim|IKRig|PoseSearch|BlendSpace)|AnimSequence$/, 'animation'],
  [/Sequence$|^MoviePipeline/, 'sequence'],
  [/^FoliageType/, 'foliage'],
  [/^Landscape/, 'landscape'],
  [/^PCG/, 'procedural'],
  [/MediaSource$/, 'media'],
]

const typeByClass = new Map<string, EntryType>(
  (Object.keys(classesByType) as EntryType[]).flatMap((type) =>
    classesByType[type].split(' ').map((name) => [name, type] as const),
  ),
)

/**
 * The entry type of an asset class, named without its module (`StaticMesh`). Classes that nothing is known of are
 * mostly a project's own data assets, so they are `data`. Null for what is no asset: the redirector a rename leaves behind.
 */
export function entryTypeOf(assetClass: string): EntryType | null {
  if (assetClass === 'ObjectRedirector') return null
  return typeByClass.get(assetClass) ?? typesByPattern.find(([pattern]) => pattern.test(assetClass))?.[1] ?? 'data'
}
