// The constants of Core Audio, with their raw values as four characters.

// MARK: Encodings

/// Linear PCM (`lpcm`).
public let kAudioFormatLinearPCM: AudioFormatID = 0x6C70_636D

/// AAC (`aac `).
public let kAudioFormatMPEG4AAC: AudioFormatID = 0x6161_6320

/// High-efficiency AAC (`aach`).
public let kAudioFormatMPEG4AAC_HE: AudioFormatID = 0x6161_6368

/// High-efficiency AAC, version 2 (`aacp`).
public let kAudioFormatMPEG4AAC_HE_V2: AudioFormatID = 0x6161_6370

/// Low-delay AAC (`aacl`).
public let kAudioFormatMPEG4AAC_LD: AudioFormatID = 0x6161_636C

/// Enhanced low-delay AAC (`aace`).
public let kAudioFormatMPEG4AAC_ELD: AudioFormatID = 0x6161_6365

/// Apple Lossless (`alac`).
public let kAudioFormatAppleLossless: AudioFormatID = 0x616C_6163

/// IMA ADPCM, 4 bits a sample (`ima4`).
public let kAudioFormatAppleIMA4: AudioFormatID = 0x696D_6134

/// iLBC, the Internet Low Bitrate Codec for speech (`ilbc`).
public let kAudioFormatiLBC: AudioFormatID = 0x696C_6263

/// µ-law, 8 bits a sample (`ulaw`).
public let kAudioFormatULaw: AudioFormatID = 0x756C_6177

/// A-law, 8 bits a sample (`alaw`).
public let kAudioFormatALaw: AudioFormatID = 0x616C_6177

/// MPEG audio, layer 1 (`.mp1`).
public let kAudioFormatMPEGLayer1: AudioFormatID = 0x2E6D_7031

/// MPEG audio, layer 2 (`.mp2`).
public let kAudioFormatMPEGLayer2: AudioFormatID = 0x2E6D_7032

/// MP3 (`.mp3`).
public let kAudioFormatMPEGLayer3: AudioFormatID = 0x2E6D_7033

/// AC-3 (`ac-3`).
public let kAudioFormatAC3: AudioFormatID = 0x6163_2D33

/// FLAC (`flac`).
public let kAudioFormatFLAC: AudioFormatID = 0x666C_6163

/// Opus (`opus`).
public let kAudioFormatOpus: AudioFormatID = 0x6F70_7573

/// Narrow-band AMR (`samr`).
public let kAudioFormatAMR: AudioFormatID = 0x7361_6D72

/// Apple Positional Audio (`apac`).
public let kAudioFormatAPAC: AudioFormatID = 0x6170_6163

// MARK: Format flags

/// The samples are floating point.
public let kAudioFormatFlagIsFloat: AudioFormatFlags = 1 << 0

/// The most significant byte comes first.
public let kAudioFormatFlagIsBigEndian: AudioFormatFlags = 1 << 1

/// The samples are signed integers.
public let kAudioFormatFlagIsSignedInteger: AudioFormatFlags = 1 << 2

/// The bits fill the whole sample.
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 1 << 3

/// The bits are at the high end of the sample.
public let kAudioFormatFlagIsAlignedHigh: AudioFormatFlags = 1 << 4

/// Each channel has its own buffer.
public let kAudioFormatFlagIsNonInterleaved: AudioFormatFlags = 1 << 5

/// The same as `kAudioFormatFlagIsFloat`, for PCM.
public let kLinearPCMFormatFlagIsFloat: AudioFormatFlags = kAudioFormatFlagIsFloat

/// The same as `kAudioFormatFlagIsBigEndian`, for PCM.
public let kLinearPCMFormatFlagIsBigEndian: AudioFormatFlags = kAudioFormatFlagIsBigEndian

/// The same as `kAudioFormatFlagIsSignedInteger`, for PCM.
public let kLinearPCMFormatFlagIsSignedInteger: AudioFormatFlags = kAudioFormatFlagIsSignedInteger

/// The same as `kAudioFormatFlagIsPacked`, for PCM.
public let kLinearPCMFormatFlagIsPacked: AudioFormatFlags = kAudioFormatFlagIsPacked

/// The same as `kAudioFormatFlagIsAlignedHigh`, for PCM.
public let kLinearPCMFormatFlagIsAlignedHigh: AudioFormatFlags = kAudioFormatFlagIsAlignedHigh

/// The same as `kAudioFormatFlagIsNonInterleaved`, for PCM.
public let kLinearPCMFormatFlagIsNonInterleaved: AudioFormatFlags = kAudioFormatFlagIsNonInterleaved

/// The flag of this machine's byte order.
public let kAudioFormatFlagsNativeEndian: AudioFormatFlags = 1.bigEndian == 1 ? kAudioFormatFlagIsBigEndian : 0

/// Packed floating point in the byte order of this machine.
public let kAudioFormatFlagsNativeFloatPacked: AudioFormatFlags =
    kAudioFormatFlagIsFloat | kAudioFormatFlagsNativeEndian | kAudioFormatFlagIsPacked

/// Apple Lossless made from 16-bit samples.
public let kAppleLosslessFormatFlag_16BitSourceData: AudioFormatFlags = 1

/// Apple Lossless made from 20-bit samples.
public let kAppleLosslessFormatFlag_20BitSourceData: AudioFormatFlags = 2

/// Apple Lossless made from 24-bit samples.
public let kAppleLosslessFormatFlag_24BitSourceData: AudioFormatFlags = 3

/// Apple Lossless made from 32-bit samples.
public let kAppleLosslessFormatFlag_32BitSourceData: AudioFormatFlags = 4

// MARK: Kinds of files

/// AIFF (`AIFF`).
public let kAudioFileAIFFType: AudioFileTypeID = 0x4149_4646

/// AIFF-C (`AIFC`).
public let kAudioFileAIFCType: AudioFileTypeID = 0x4149_4643

/// WAV (`WAVE`).
public let kAudioFileWAVEType: AudioFileTypeID = 0x5741_5645

/// RF64, WAV beyond 4 GB (`RF64`).
public let kAudioFileRF64Type: AudioFileTypeID = 0x5246_3634

/// BW64, broadcast WAV beyond 4 GB (`BW64`).
public let kAudioFileBW64Type: AudioFileTypeID = 0x4257_3634

/// Wave64 (`W64f`).
public let kAudioFileWave64Type: AudioFileTypeID = 0x5736_3466

/// NeXT and Sun (`NeXT`).
public let kAudioFileNeXTType: AudioFileTypeID = 0x4E65_5854

/// MP3 (`MPG3`).
public let kAudioFileMP3Type: AudioFileTypeID = 0x4D50_4733

/// An AAC stream without a container (`adts`).
public let kAudioFileAAC_ADTSType: AudioFileTypeID = 0x6164_7473

/// MPEG-4 (`mp4f`).
public let kAudioFileMPEG4Type: AudioFileTypeID = 0x6D70_3466

/// MPEG-4 with sound only (`m4af`).
public let kAudioFileM4AType: AudioFileTypeID = 0x6D34_6166

/// MPEG-4 audiobook (`m4bf`).
public let kAudioFileM4BType: AudioFileTypeID = 0x6D34_6266

/// Core Audio Format (`caff`).
public let kAudioFileCAFType: AudioFileTypeID = 0x6361_6666

/// 3GP (`3gpp`).
public let kAudioFile3GPType: AudioFileTypeID = 0x3367_7070

/// AMR (`amrf`).
public let kAudioFileAMRType: AudioFileTypeID = 0x616D_7266

/// FLAC (`flac`).
public let kAudioFileFLACType: AudioFileTypeID = 0x666C_6163

/// AC-3 (`ac-3`).
public let kAudioFileAC3Type: AudioFileTypeID = 0x6163_2D33

// MARK: Errors of file operations

/// Another error (`wht?`).
public let kAudioFileUnspecifiedError: OSStatus = 0x7768_743F

/// The kind of file is unknown or not supported (`typ?`).
public let kAudioFileUnsupportedFileTypeError: OSStatus = 0x7479_703F

/// The encoding is not supported in this kind of file (`fmt?`).
public let kAudioFileUnsupportedDataFormatError: OSStatus = 0x666D_743F

/// There is no such property (`pty?`).
public let kAudioFileUnsupportedPropertyError: OSStatus = 0x7074_793F

/// The property has the wrong size (`!siz`).
public let kAudioFileBadPropertySizeError: OSStatus = 0x2173_697A

/// The file may not be opened like this (`prm?`).
public let kAudioFilePermissionsError: OSStatus = 0x7072_6D3F

/// The file must be optimized first (`optm`).
public let kAudioFileNotOptimizedError: OSStatus = 0x6F70_746D

/// A chunk is missing or not supported (`chk?`).
public let kAudioFileInvalidChunkError: OSStatus = 0x6368_6B3F

/// The kind of file cannot grow this large (`off?`).
public let kAudioFileDoesNotAllow64BitDataSizeError: OSStatus = 0x6F66_663F

/// A packet offset is wrong (`pck?`).
public let kAudioFileInvalidPacketOffsetError: OSStatus = 0x7063_6B3F

/// The file is damaged or empty (`dta?`).
public let kAudioFileInvalidFileError: OSStatus = 0x6474_613F

/// The operation cannot be done with this kind of file (`op??`).
public let kAudioFileOperationNotSupportedError: OSStatus = 0x6F70_3F3F

/// The file is closed.
public let kAudioFileNotOpenError: OSStatus = -38

/// The end of the file was reached.
public let kAudioFileEndOfFileError: OSStatus = -39

/// The position is not in the file.
public let kAudioFilePositionError: OSStatus = -40

/// There is no such file.
public let kAudioFileFileNotFoundError: OSStatus = -43

/// An illegal value.
public let kAudio_ParamError: OSStatus = -50

/// No error: the success value of C functions.
public let noErr: OSStatus = 0
