// Boxes and balls that fall onto a box, by Bullet's rigid bodies on OpenCL: their places and speeds after some steps.
//
//   boxes sorted|grid EDGE STEPS      EDGE * EDGE * EDGE bodies
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "Bullet3Collision/BroadPhaseCollision/b3DynamicBvhBroadphase.h"
#include "Bullet3Collision/NarrowPhaseCollision/b3Config.h"
#include "Bullet3Collision/NarrowPhaseCollision/shared/b3RigidBodyData.h"
#include "Bullet3OpenCL/BroadphaseCollision/b3GpuGridBroadphase.h"
#include "Bullet3OpenCL/BroadphaseCollision/b3GpuSapBroadphase.h"
#include "Bullet3OpenCL/Initialize/b3OpenCLUtils.h"
#include "Bullet3OpenCL/RigidBody/b3GpuNarrowPhase.h"
#include "Bullet3OpenCL/RigidBody/b3GpuRigidBodyPipeline.h"
#include "benchmarks/host/checksum.h"

constexpr float kCorners[] = {-1, -1, 1,  1, 1, -1, 1,  1, 1, 1, 1,  1, -1, 1, 1,  1,
                              -1, -1, -1, 1, 1, -1, -1, 1, 1, 1, -1, 1, -1, 1, -1, 1};

int main(int, char** argv) {
  const std::string pairs = argv[1];
  const int edge = std::atoi(argv[2]), steps = std::atoi(argv[3]);
  int error = 0;
  cl_platform_id platform = nullptr;
  const cl_context context =
      b3OpenCLUtils::createContextFromType(CL_DEVICE_TYPE_ALL, &error, nullptr, nullptr, -1, -1, &platform);
  if (!context) return 1;
  const cl_device_id device = b3OpenCLUtils::getDevice(context, 0);
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);

  b3Config config;
  config.m_maxConvexBodies = config.m_maxConvexShapes = edge * edge * edge + 32;
  config.m_maxBroadphasePairs = config.m_maxContactCapacity = 16 * config.m_maxConvexBodies;
  // Never taken down: the engine's objects need an order of their own for that.
  auto& shapes = *new b3GpuNarrowPhase(context, device, queue, config);
  b3GpuBroadphaseInterface* broad = nullptr;
  if (pairs == "sorted")
    broad = new b3GpuSapBroadphase(context, device, queue);
  else
    broad = new b3GpuGridBroadphase(context, device, queue);
  auto* const tree = new b3DynamicBvhBroadphase(config.m_maxConvexBodies);
  auto& bodies = *new b3GpuRigidBodyPipeline(context, device, queue, &shapes, broad, tree, config);

  const float large[] = {50, 1, 50, 1}, small[] = {1, 1, 1, 1};
  const int ground = shapes.registerConvexHullShape(kCorners, 16, 8, large);
  const int box = shapes.registerConvexHullShape(kCorners, 16, 8, small), ball = shapes.registerSphereShape(1);
  const b3Quaternion upright(0, 0, 0, 1);
  int count = 0;
  const auto add = [&](float mass, float x, float y, float z, int shape) {
    const b3Vector3 place = b3MakeVector3(x, y, z);
    bodies.registerPhysicsInstance(mass, place, upright, shape, count++, false);
  };
  add(0, 0, -1, 0, ground);
  for (int i = 0; i < edge; ++i)
    for (int j = 0; j < edge; ++j)
      for (int k = 0; k < edge; ++k)
        add(1, i * 2.05F + 0.1F * (j % 3) - edge, 1.0F + j * 2.02F, k * 2.1F - edge + 0.07F * (i % 2),
            (i + j + k) % 4 == 1 ? ball : box);
  shapes.writeAllBodiesToGpu();
  broad->writeAabbsToGpu();
  bodies.writeAllInstancesToGpu();
  for (int step = 0; step < steps; ++step) bodies.stepSimulation(1.0F / 60);
  shapes.readbackAllBodiesToCpu();

  uint64_t sum = 0;
  const auto add_bytes = [&](const auto& value, size_t size) {
    sum = bench::checksum({reinterpret_cast<const std::byte*>(&value), size}, sum);
  };
  for (int n = 0; n < count; ++n) {
    const b3RigidBodyData& body = shapes.getBodiesCpu()[n];
    add_bytes(body.m_pos, 12);
    add_bytes(body.m_quat, 16);
    add_bytes(body.m_linVel, 12);
    add_bytes(body.m_angVel, 12);
  }
  std::printf("%d bodies, %d steps: sum %016llx\n", count, steps, static_cast<unsigned long long>(sum));
  return 0;
}
