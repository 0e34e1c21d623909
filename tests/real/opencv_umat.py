#!/usr/bin/python3
"""OpenCV's functions on arrays that lie on a device (its T-API): what each gives is printed as a checksum, and is read back.

Needs Debian's python3-opencv, and OPENCV_OPENCL_DEVICE=:CPU: where there is no GPU.
"""

import sys
import zlib

import cv2
import numpy

CHANCE = numpy.random.default_rng(1)
COLOURS = CHANCE.integers(0, 256, (240, 320, 3), dtype=numpy.uint8)
GREY = CHANCE.integers(0, 256, (240, 320), dtype=numpy.uint8)
REAL = CHANCE.random((240, 320), dtype=numpy.float32)
TURN = cv2.getRotationMatrix2D((160, 120), 30, 0.8)
CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (5, 5))

# Not Canny: its groups race with each other for the pixels of an edge, and 2 of 60 runs without samcl, on PoCL's threads,
# give other pixels than the rest.
FUNCTIONS = {
    "add": lambda: cv2.add(cv2.UMat(COLOURS), cv2.UMat(COLOURS[::-1].copy())),
    "bitwise_xor": lambda: cv2.bitwise_xor(cv2.UMat(GREY), cv2.UMat(255 - GREY)),
    "cvtColor": lambda: cv2.cvtColor(cv2.UMat(COLOURS), cv2.COLOR_BGR2HSV),
    "GaussianBlur": lambda: cv2.GaussianBlur(cv2.UMat(COLOURS), (7, 7), 1.5),
    "medianBlur": lambda: cv2.medianBlur(cv2.UMat(GREY), 5),
    "bilateralFilter": lambda: cv2.bilateralFilter(cv2.UMat(GREY), 5, 30, 30),
    "filter2D": lambda: cv2.filter2D(cv2.UMat(REAL), -1, numpy.arange(9, dtype=numpy.float32).reshape(3, 3) / 36),
    "Sobel": lambda: cv2.Sobel(cv2.UMat(REAL), cv2.CV_32F, 1, 0),
    "resize": lambda: cv2.resize(cv2.UMat(COLOURS), (500, 333), interpolation=cv2.INTER_LINEAR),
    "warpAffine": lambda: cv2.warpAffine(cv2.UMat(GREY), TURN, (320, 240)),
    "remap": lambda: cv2.remap(cv2.UMat(REAL), cv2.UMat(REAL * 300), cv2.UMat(REAL[::-1] * 200), cv2.INTER_LINEAR),
    "threshold": lambda: cv2.threshold(cv2.UMat(GREY), 100, 255, cv2.THRESH_BINARY)[1],
    "adaptiveThreshold": lambda: cv2.adaptiveThreshold(cv2.UMat(GREY), 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 11, 2),
    "erode": lambda: cv2.erode(cv2.UMat(GREY), CROSS),
    "morphologyEx": lambda: cv2.morphologyEx(cv2.UMat(GREY), cv2.MORPH_GRADIENT, CROSS),
    "pyrDown": lambda: cv2.pyrDown(cv2.UMat(COLOURS)),
    "pyrUp": lambda: cv2.pyrUp(cv2.UMat(GREY)),
    "equalizeHist": lambda: cv2.equalizeHist(cv2.UMat(GREY)),
    "calcHist": lambda: cv2.calcHist([cv2.UMat(GREY)], [0], None, [64], [0, 256]),
    "integral": lambda: cv2.integral(cv2.UMat(GREY)),
    "flip": lambda: cv2.flip(cv2.UMat(COLOURS), -1),
    "transpose": lambda: cv2.transpose(cv2.UMat(REAL)),
    "gemm": lambda: cv2.gemm(cv2.UMat(REAL[:, :240].copy()), cv2.UMat(REAL), 0.5, None, 0),
    "dft": lambda: cv2.dft(cv2.UMat(REAL)),
    "matchTemplate": lambda: cv2.matchTemplate(cv2.UMat(REAL), cv2.UMat(REAL[50:66, 70:90].copy()), cv2.TM_SQDIFF),
    "meanStdDev": lambda: numpy.hstack([cv2.UMat.get(part) if isinstance(part, cv2.UMat) else part
                                        for part in cv2.meanStdDev(cv2.UMat(GREY))]),
    "norm": lambda: numpy.array(cv2.norm(cv2.UMat(GREY), cv2.NORM_L1)),
    "minMaxLoc": lambda: numpy.array(cv2.minMaxLoc(cv2.UMat(GREY))[:2]),
}


def main():
    cv2.ocl.setUseOpenCL(True)
    if not cv2.ocl.useOpenCL():
        sys.exit("opencv_umat.py: OpenCV takes no OpenCL device; OPENCV_OPENCL_DEVICE=:CPU: lets it take a CPU")
    for name, function in FUNCTIONS.items():
        result = function()
        result = result.get() if isinstance(result, cv2.UMat) else result
        print(name, result.shape, f"{zlib.crc32(numpy.ascontiguousarray(result).tobytes()):08x}", flush=True)


if __name__ == "__main__":
    main()
