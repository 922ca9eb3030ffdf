# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later

# A Debian package: `scripts/package` configures for it and calls cpack.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gr-fringe)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The gr-fringe authors")  # who are asked in the repository
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "FX correlator for radio astronomy as a GNU Radio module")
set(CPACK_PACKAGE_DESCRIPTION
    "Turns recorded antenna voltages into visibilities (MeasurementSet) and images: the stages of
an FX correlator as GNU Radio blocks, a sky simulator and the command fringe.")
set(CPACK_DEBIAN_PACKAGE_SECTION hamradio)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "gnuradio (>= 3.10), python3, python3-numpy, python3-scipy, python3-h5py, python3-yaml, python3-matplotlib, python3-tqdm, python3-casacore, python3-zmq, python3-tornado")
# For the Tab key after fringe, and QR codes of the web page; to read .uvfits, and for
# vis.to_xarray().
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-argcomplete, python3-qrcode")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-astropy, python3-xarray")
# The pages that scripts/package has made with scripts/html, where it has.
set(fringe_doc share/doc/gr-fringe)
install(DIRECTORY ${PROJECT_BINARY_DIR}/html/ DESTINATION ${fringe_doc}/html OPTIONAL)
install(FILES cmake/debian/copyright README.md CHANGELOG.md LIMITATIONS.md CITATION.cff SECURITY.md
        DESTINATION ${fringe_doc})
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/postinst
                                       ${CMAKE_CURRENT_LIST_DIR}/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
