#include "models.h"

#include <stddef.h>
#include <string.h>

#define UNKNOWN SPA_PARAM_AVAILABILITY_unknown
#define NO SPA_PARAM_AVAILABILITY_no
#define YES SPA_PARAM_AVAILABILITY_yes

#define OFF {.name = "off", .description = "Off"}

/// The numbers of the devices; only a card that can have two sinks has the third.
enum { CAPTURE, PLAYBACK, OTHER_PLAYBACK };

/// The profiles after "off", and the nodes, of each model.
enum { PCI_DUPLEX = 1, PCI_ANALOG, PCI_HDMI, PCI_HDMI_DUPLEX };
enum { PCI_SOURCE, PCI_ANALOG_SINK, PCI_HDMI_SINK };
enum { HDMI_STEREO = 1 };
enum { HDMI_SINK };
enum { USB_DUPLEX = 1 };
enum { USB_SOURCE, USB_SINK };
enum { BT_A2DP = 1, BT_HFP };
enum { BT_HFP_SOURCE, BT_A2DP_SINK, BT_HFP_SINK };
enum { PHONE_HIFI = 1 };
enum { PHONE_SOURCE, PHONE_EARPIECE_SINK, PHONE_SPEAKER_SINK };

/// The sound of a PC: speakers, a jack that takes headsets, and a monitor's speakers behind HDMI.
static const struct card_model pci = {
    .key = "pci",
    .api = "alsa",
    .bus = "pci",
    .form_factor = "internal",
    .icon = "audio-card-analog",
    .name_start = "alsa_card",
    .instance = "pci-0000_00_1f.3",
    .description = "Built-in Audio",
    .nodes = {
        [PCI_SOURCE] = {
            "alsa_input", "analog-stereo", "Built-in Audio Analog Stereo", "analog-stereo",
            .device = CAPTURE, .is_source = true, .channels = 2, .rate = 48000, .priority = 2009,
        },
        [PCI_ANALOG_SINK] = {
            "alsa_output", "analog-stereo", "Built-in Audio Analog Stereo", "analog-stereo",
            .device = PLAYBACK, .channels = 2, .rate = 48000, .priority = 1009,
        },
        [PCI_HDMI_SINK] = {
            "alsa_output", "hdmi-stereo", "Built-in Audio Digital Stereo (HDMI)", "hdmi-stereo",
            .device = OTHER_PLAYBACK, .channels = 2, .rate = 48000, .priority = 1000,
        },
    },
    .profiles = {
        OFF,
        [PCI_DUPLEX] = {
            "output:analog-stereo+input:analog-stereo", "Analog Stereo Duplex",
            .priority = 6565, .nodes = BIT(PCI_SOURCE) | BIT(PCI_ANALOG_SINK),
        },
        [PCI_ANALOG] = {
            "output:analog-stereo", "Analog Stereo Output",
            .priority = 6500, .nodes = BIT(PCI_ANALOG_SINK),
        },
        [PCI_HDMI] = {
            "output:hdmi-stereo", "Digital Stereo (HDMI) Output",
            .priority = 5900, .nodes = BIT(PCI_HDMI_SINK),
        },
        [PCI_HDMI_DUPLEX] = {
            "output:hdmi-stereo+input:analog-stereo", "Digital Stereo (HDMI) Output + Analog Stereo Input",
            .priority = 5965, .nodes = BIT(PCI_SOURCE) | BIT(PCI_HDMI_SINK),
        },
    },
    .ports = {
        {
            "analog-input-internal-mic", "Internal Microphone", "mic",
            .is_input = true, .priority = 8900, .availability = UNKNOWN,
            .profiles = BIT(PCI_DUPLEX) | BIT(PCI_HDMI_DUPLEX), .device = CAPTURE,
        },
        {
            "analog-input-headset-mic", "Headset Microphone", "headset", "Legacy 1",
            .is_input = true, .priority = 8800, .availability = NO,
            .profiles = BIT(PCI_DUPLEX) | BIT(PCI_HDMI_DUPLEX), .device = CAPTURE,
        },
        {
            "analog-output-speaker", "Speaker", "speaker", "Legacy 2",
            .priority = 10000, .availability = UNKNOWN,
            .profiles = BIT(PCI_DUPLEX) | BIT(PCI_ANALOG), .device = PLAYBACK,
        },
        {
            "analog-output-headphones", "Headphones", "headphones", "Legacy 1",
            .priority = 9900, .availability = NO,
            .profiles = BIT(PCI_DUPLEX) | BIT(PCI_ANALOG), .device = PLAYBACK,
        },
        {
            "hdmi-output-0", "HDMI / DisplayPort", "hdmi", "Legacy 3",
            .priority = 5900, .availability = NO,
            .profiles = BIT(PCI_HDMI) | BIT(PCI_HDMI_DUPLEX), .device = OTHER_PLAYBACK,
        },
    },
    // A speaker that the jack mutes is unavailable; whether there is one at all, the hardware does not know.
    .jack = {
        {"analog-output-headphones", .plugged = YES, .unplugged = NO},
        {"analog-output-speaker", .plugged = NO, .unplugged = UNKNOWN},
        {"analog-input-headset-mic", .plugged = YES, .unplugged = NO},
    },
};

/// The sound of a graphics card, with no monitor at the start.
static const struct card_model hdmi = {
    .key = "hdmi",
    .api = "alsa",
    .bus = "pci",
    .icon = "audio-card-analog",
    .name_start = "alsa_card",
    .instance = "pci-0000_01_00.1",
    .description = "HDMI Audio Controller",
    .nodes = {
        [HDMI_SINK] = {
            "alsa_output", "hdmi-stereo", "HDMI Audio Controller Digital Stereo (HDMI)", "hdmi-stereo",
            .device = OTHER_PLAYBACK, .channels = 2, .rate = 48000, .priority = 700,
        },
    },
    .profiles = {
        OFF,
        [HDMI_STEREO] = {
            "output:hdmi-stereo", "Digital Stereo (HDMI) Output", .priority = 5900, .nodes = BIT(HDMI_SINK),
        },
    },
    .ports = {
        {
            "hdmi-output-0", "HDMI / DisplayPort", "hdmi", "Legacy 3",
            .priority = 5900, .availability = NO, .profiles = BIT(HDMI_STEREO), .device = OTHER_PLAYBACK,
        },
    },
};

/// A headset that does not tell what is plugged into it: the availability of its ports stays unknown.
static const struct card_model usb = {
    .key = "usb",
    .api = "alsa",
    .bus = "usb",
    .form_factor = "headset",
    .icon = "audio-card-analog",
    .name_start = "alsa_card",
    .instance = "usb-fake-00",
    .description = "USB Headset",
    .nodes = {
        [USB_SOURCE] = {
            "alsa_input", "mono-fallback", "USB Headset Mono", "mono-fallback",
            .device = CAPTURE, .is_source = true, .channels = 1, .rate = 48000, .priority = 2100,
        },
        [USB_SINK] = {
            "alsa_output", "analog-stereo", "USB Headset Analog Stereo", "analog-stereo",
            .device = PLAYBACK, .channels = 2, .rate = 48000, .priority = 1100,
        },
    },
    .profiles = {
        OFF,
        [USB_DUPLEX] = {
            "output:analog-stereo+input:mono-fallback", "Analog Stereo Output + Mono Input",
            .priority = 6501, .nodes = BIT(USB_SOURCE) | BIT(USB_SINK),
        },
    },
    .ports = {
        {
            "analog-input-mic", "Microphone", "mic",
            .is_input = true, .priority = 8700, .availability = UNKNOWN,
            .profiles = BIT(USB_DUPLEX), .device = CAPTURE,
        },
        {
            "analog-output", "Analog Output", "analog",
            .priority = 9900, .availability = UNKNOWN, .profiles = BIT(USB_DUPLEX), .device = PLAYBACK,
        },
    },
};

/// A Bluetooth headset, which plays well or takes part in calls, but not both. Its instance is its address.
static const struct card_model bt = {
    .key = "bt",
    .api = "bluez5",
    .bus = "bluetooth",
    .form_factor = "headset",
    .icon = "audio-headset-bluetooth",
    .name_start = "bluez_card",
    .instance = "00_11_22_33_44_55",
    .description = "Fake BT Headset",
    .nodes = {
        [BT_HFP_SOURCE] = {
            "bluez_input", "0", "Fake BT Headset", "headset-head-unit",
            .device = CAPTURE, .is_source = true, .channels = 1, .rate = 16000, .priority = 2010,
        },
        // Real ones also keep the name of the sink when they change the profile.
        [BT_A2DP_SINK] = {
            "bluez_output", "1", "Fake BT Headset", "a2dp-sink",
            .device = PLAYBACK, .channels = 2, .rate = 48000, .priority = 1010,
        },
        [BT_HFP_SINK] = {
            "bluez_output", "1", "Fake BT Headset", "headset-head-unit",
            .device = PLAYBACK, .channels = 1, .rate = 16000, .priority = 1010,
        },
    },
    .profiles = {
        OFF,
        [BT_A2DP] = {
            "a2dp-sink", "High Fidelity Playback (A2DP Sink)", .priority = 16, .nodes = BIT(BT_A2DP_SINK),
        },
        [BT_HFP] = {
            "headset-head-unit", "Headset Head Unit (HSP/HFP)",
            .priority = 1, .nodes = BIT(BT_HFP_SOURCE) | BIT(BT_HFP_SINK),
        },
    },
    .ports = {
        {
            "headset-output", "Headset", "headset",
            .availability = YES, .profiles = BIT(BT_A2DP), .device = PLAYBACK,
        },
        {
            "headset-hf-input", "Handsfree", "headset",
            .is_input = true, .availability = YES, .profiles = BIT(BT_HFP), .device = CAPTURE,
        },
        {
            "headset-hf-output", "Handsfree", "headset",
            .availability = YES, .profiles = BIT(BT_HFP), .device = PLAYBACK,
        },
    },
};

/// A phone, described by ALSA's use case manager: an earpiece and a speaker of their own, and two microphones,
/// of which the front one has two polar patterns.
static const struct card_model phone = {
    .key = "phone",
    .api = "alsa",
    .bus = "pci",
    .form_factor = "handset",
    .icon = "audio-card-analog",
    .name_start = "alsa_card",
    .instance = "pci-0000_00_0e.0",
    .description = "Phone",
    .nodes = {
        [PHONE_SOURCE] = {
            "alsa_input", "HiFi__Mic__source", "Phone Microphones", "HiFi: Mic: source",
            .device = CAPTURE, .is_source = true, .channels = 2, .rate = 48000, .priority = 2009,
        },
        [PHONE_EARPIECE_SINK] = {
            "alsa_output", "HiFi__Earpiece__sink", "Phone Earpiece", "HiFi: Earpiece: sink",
            .device = PLAYBACK, .channels = 2, .rate = 48000, .priority = 1010,
        },
        [PHONE_SPEAKER_SINK] = {
            "alsa_output", "HiFi__Speaker__sink", "Phone Speaker", "HiFi: Speaker: sink",
            .device = OTHER_PLAYBACK, .channels = 2, .rate = 48000, .priority = 1000,
        },
    },
    .profiles = {
        OFF,
        [PHONE_HIFI] = {
            "HiFi", "Play HiFi quality Music", .priority = 8000,
            .nodes = BIT(PHONE_SOURCE) | BIT(PHONE_EARPIECE_SINK) | BIT(PHONE_SPEAKER_SINK),
        },
    },
    .ports = {
        {
            "[In] FrontMicOmni", "Front Microphone (Omnidirectional)", "mic",
            .is_input = true, .priority = 200, .availability = UNKNOWN,
            .profiles = BIT(PHONE_HIFI), .device = CAPTURE,
        },
        {
            "[In] FrontMicCardioid", "Front Microphone (Cardioid)", "mic",
            .is_input = true, .priority = 150, .availability = UNKNOWN,
            .profiles = BIT(PHONE_HIFI), .device = CAPTURE,
        },
        {
            "[In] RearMic", "Rear Microphone", "mic",
            .is_input = true, .priority = 100, .availability = UNKNOWN,
            .profiles = BIT(PHONE_HIFI), .device = CAPTURE,
        },
        {
            "[Out] Earpiece", "Earpiece", "handset",
            .priority = 300, .availability = UNKNOWN, .profiles = BIT(PHONE_HIFI), .device = PLAYBACK,
        },
        {
            "[Out] Speaker", "Speaker", "speaker",
            .priority = 200, .availability = UNKNOWN, .profiles = BIT(PHONE_HIFI), .device = OTHER_PLAYBACK,
        },
    },
};

const struct card_model *model_find(const char *key) {
    static const struct card_model *const models[] = {&pci, &hdmi, &usb, &bt, &phone};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (strcmp(models[i]->key, key) == 0) return models[i];
    }
    return NULL;
}

bool model_is_bluetooth(const struct card_model *model) { return strcmp(model->api, "bluez5") == 0; }
