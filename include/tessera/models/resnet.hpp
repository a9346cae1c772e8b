// SPDX-License-Identifier: Apache-2.0
// Residual networks for images: ResNet v1.5 (He et al., "Deep residual learning for image recognition", 2016; the stride of
// a bottleneck in its 3 x 3 convolution, as in torchvision), ResNeXt (Xie et al., "Aggregated residual transformations for
// deep neural networks", 2017). Parameters are called as in torchvision and timm.
//
//   struct photos { static constexpr ts::models::resnet_configuration value = ts::models::resnet50; };
//   ts::model<ts::models::resnet<photos>> network{ts::safetensors::open("resnet50.safetensors")};
#pragma once

#include <tessera/graph/images.hpp>
#include <tessera/nn.hpp>

namespace tessera::models {

/// Sizes of a network, and of the images of one run.
struct resnet_configuration {
  int blocks[4] = {3, 4, 6, 3};   ///< of each stage
  bool bottleneck = true;         ///< 1 x 1, 3 x 3, 1 x 1 to four times the width; else 3 x 3 twice
  int groups = 1;                 ///< of a bottleneck's 3 x 3 convolution …
  int width_per_group = 64;       ///< … and its channels a group, in the first stage
  int classes = 1000;
  int images = 1, height = 224, width = 224;
};

inline constexpr resnet_configuration resnet18{.blocks = {2, 2, 2, 2}, .bottleneck = false};
inline constexpr resnet_configuration resnet34{.bottleneck = false};
inline constexpr resnet_configuration resnet50{};
inline constexpr resnet_configuration resnet101{.blocks = {3, 4, 23, 3}};
inline constexpr resnet_configuration resnext101_32x4d{.blocks = {3, 4, 23, 3}, .groups = 32, .width_per_group = 4};
inline constexpr resnet_configuration resnext101_32x8d{.blocks = {3, 4, 23, 3}, .groups = 32, .width_per_group = 8};

/// A type with a static constexpr resnet_configuration `value`.
template <class C>
concept ResnetConfiguration = requires { { C::value.width_per_group }; };

/// Input: image (N, 3, H, W), normalised. Output: logits (N, classes).
template <ResnetConfiguration Configuration>
struct resnet {
  static constexpr resnet_configuration const& configuration = Configuration::value;

  static constexpr void build(graph& g) {
    constexpr resnet_configuration const& c = configuration;
    node const image = g.input<float>("image", {c.images, 3, c.height, c.width});
    node x = normed(g, "conv1", "bn1", channels_last(g, image), 64, 7, {.stride = 2, .padding = 3});
    x = max_pool(g, relu(g, x), {.kernel = 3, .stride = 2, .padding = 1});
    for (int stage = 0; stage < 4; ++stage)
      for (int block = 0; block < c.blocks[stage]; ++block)
        x = residual_block(g, name("layer", stage + 1, ".", block), x, 64 << stage, stage > 0 && block == 0 ? 2 : 1);
    g.output("logits", nn::linear(g, "fc", global_average_pool(g, x), c.classes));
  }

 private:
  static constexpr node normed(graph& g, text const& convolution, text const& norm, node x, int filters, int kernel,
                               nn::convolution_options const& options) {
    return nn::batch_norm(g, norm, nn::convolution(g, convolution, x, filters, kernel, options));
  }
  /// The convolutions of a block, and around them its input, or a 1 x 1 convolution of it where sizes change.
  static constexpr node residual_block(graph& g, text const& at, node x, int planes, int stride) {
    constexpr resnet_configuration const& c = configuration;
    int const made = c.bottleneck ? 4 * planes : planes;
    node y = x;
    if (c.bottleneck) {
      int const width = planes * c.width_per_group / 64 * c.groups;
      y = relu(g, normed(g, name(at, ".conv1"), name(at, ".bn1"), y, width, 1, {}));
      y = relu(g, normed(g, name(at, ".conv2"), name(at, ".bn2"), y, width, 3,
                         {.stride = stride, .padding = 1, .groups = c.groups}));
      y = normed(g, name(at, ".conv3"), name(at, ".bn3"), y, made, 1, {});
    } else {
      y = relu(g, normed(g, name(at, ".conv1"), name(at, ".bn1"), y, planes, 3, {.stride = stride, .padding = 1}));
      y = normed(g, name(at, ".conv2"), name(at, ".bn2"), y, planes, 3, {.padding = 1});
    }
    bool const changes = stride != 1 || g.shape(x)[3] != made;
    node const around = changes ? normed(g, name(at, ".downsample.0"), name(at, ".downsample.1"), x, made, 1, {.stride = stride})
                                : x;
    return relu(g, add(g, y, around));
  }
};

}  // namespace tessera::models
